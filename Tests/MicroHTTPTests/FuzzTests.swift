import Glibc
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(1)))
struct FuzzTests {
    private static let seeds = [
        "GET /a?b=c%20d HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip;q=0.5, *\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nT: x\r\n\r\n",
        "HEAD /w HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /w HTTP/1.1\r\nHost: y\r\nExpect: 100-continue\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
        "GET http://h/s HTTP/1.1\r\nHost: x\r\nCookie: a=b; c\r\n\r\n",
    ]

    /// The seed of a failing run is in its name.
    @Test(arguments: [1, UInt64.random(in: 2...UInt64.max)])
    func `keeps answering whatever is sent`(seed: UInt64) async throws {
        let routes = [
            echo(.get, "/a"),
            echo(.post, "/a", bodyLimit: 100),
            Route(.get, "/w", name: "w", handler: .waiting { .text($0.path) }),
            Route(
                .get,
                "/s",
                name: "s",
                handler: .immediate { _ in
                    Response(body: .stream { try await $0.write([1, 2, 3]) })
                }
            ),
        ]
        let configure: (inout Server.Configuration) -> Void = {
            $0.connectionsPerAddress = 5000
            $0.connectionLimit = 5000
        }
        try await serving(routes, configure: configure) { port in
            try await blocking {
                var random = SplitMix64(state: seed)
                for _ in 0..<2000 {
                    let client = try Client(port)
                    try? client.send(Self.mutated(&random))
                    guard Bool.random(using: &random) else { continue }
                    try? client.send("\r\n\r\nGET /w HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    // A client that looks at what has come so far, and leaves.
                    var readable = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
                    if poll(&readable, 1, 5) > 0 { client.readOnce() }
                }
                let answer = try Client(port).ask("GET", "/a")
                #expect(answer.text == "GET /a")
            }
        }
    }

    private static func mutated(_ random: inout SplitMix64) -> [UInt8] {
        guard Int.random(in: 0..<8, using: &random) > 0 else {
            return (0..<Int.random(in: 1..<300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        var bytes = Array((seeds.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 1..<6, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(UInt8(ascii: "\n"), at: index)
            case 3: bytes.insert(contentsOf: bytes[index...], at: index)
            case 4: bytes.insert(UInt8.random(in: 0...127, using: &random), at: index)
            default: bytes.removeSubrange(index..<min(bytes.count, index + 10))
            }
        }
        return bytes
    }
}
