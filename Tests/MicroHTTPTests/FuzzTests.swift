import Foundation
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

    /// Written from RFC 3986 and the URL standard's form decoding, piece by piece of the text instead of byte by byte.
    @Test(arguments: [1, UInt64.random(in: 2...UInt64.max)])
    func `a target is read as a reference decoder reads it`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let alphabet = Array("aZ09%2cC3bBfF0+&=?/#é".utf8)
        for _ in 0..<50_000 {
            let count = Int.random(in: 0..<12, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            // A byte of é without the other is no text that the reference could be given.
            guard let text = String(validating: [UInt8(ascii: "/")] + bytes, as: UTF8.self) else { continue }
            let found = try? Target(decoding: Array(text.utf8))
            let expected = Self.reference(text)
            #expect(found?.path == expected?.path && found?.query == expected?.query, "\(text)")
        }
    }

    private static func reference(_ text: String) -> (path: String, query: [Request.QueryItem])? {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        func decoded(_ text: some StringProtocol) -> String? {
            let pieces = text.split(separator: "%", omittingEmptySubsequences: false)
            var bytes = Array(pieces[0].utf8)
            for piece in pieces.dropFirst() {
                let digits = piece.utf8.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ isxdigit(Int32($0)) != 0 }),
                    let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), byte > 0
                else { return nil }
                bytes += [byte] + piece.utf8.dropFirst(2)
            }
            // What is not UTF-8 does not come back.
            let result = String(decoding: bytes, as: UTF8.self)
            return Array(result.utf8) == bytes ? result : nil
        }
        guard let path = decoded(parts[0]) else { return nil }
        var query: [Request.QueryItem] = []
        for pair in (parts.count > 1 ? parts[1] : "").replacing("+", with: " ").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0]), let value = decoded(sides.count > 1 ? sides[1] : "") else { return nil }
            query.append(Request.QueryItem(name: name, value: value))
        }
        return (path, query)
    }

    @Test(arguments: [1, UInt64.random(in: 2...UInt64.max)])
    func `what is escaped comes back as it was`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        func text() -> String {
            let scalars = (0..<Int.random(in: 0..<8, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 1...0x10_ffff, using: &random))
            }
            return String(String.UnicodeScalarView(scalars))
        }
        func escaped(_ text: String) -> String { text.utf8.map { String(format: "%%%02X", $0) }.joined() }
        for _ in 0..<5000 {
            let (path, name, value) = ("/" + text(), text(), text())
            let target = try Target(
                decoding: Array("/\(escaped(path).dropFirst(3))?\(escaped(name))=\(escaped(value))".utf8)
            )
            #expect(target.path == path && target.query == [Request.QueryItem(name: name, value: value)])
        }
    }

    @Test(arguments: [1, UInt64.random(in: 2...UInt64.max)])
    func `fields are kept as a list of lower-case names would keep them`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var headers = Headers()
        var model: [(name: String, value: String)] = []
        let names = ["Accept", "accept", "ACCEPT", "X-A", "x-a", "[", "{", "@", "`"]
        for number in 0..<20_000 {
            let name = names.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                headers[name] = nil
                model.removeAll { $0.name == name.lowercased() }
            case 1:
                headers[name] = "\(number)"
                model.removeAll { $0.name == name.lowercased() }
                model.append((name.lowercased(), "\(number)"))
            default:
                headers.add(name, "\(number)")
                model.append((name.lowercased(), "\(number)"))
            }
            let expected = model.filter { $0.name == name.lowercased() }.map(\.value)
            #expect(headers.values(name) == expected && headers[name] == expected.first)
        }
        #expect(headers.fields.map { "\($0.name.lowercased()) \($0.value)" } == model.map { "\($0.name) \($0.value)" })
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
