import Coordination
import Foundation
import HTTPTransfer
import Posix
import Testing

/// Against a server that others use.
@Suite(.timeLimit(.minutes(3)))
struct NginxTests {
    private let server: WebServer

    init() throws { server = try WebServer.shared.get() }

    @Test func `GET brings a file and HEAD only its head`() async throws {
        try await withLoop { loop async throws in
            let get = try await loop.perform(.collecting("\(server.url)/hello"))
            #expect(get.status == 200 && get.body == Array("hello".utf8))
            let head = try await loop.perform(.collecting("\(server.url)/hello").with { $0.method = .head })
            #expect(head.status == 200 && head.body.isEmpty && head.header("content-length") == "5")
        }
    }

    @Test func `a status of 404 is an answer`() async throws {
        try await withLoop { loop async throws in
            let response = try await loop.perform(TransferRequest(url: "\(server.url)/nothing"))
            #expect(response.status == 404)
        }
    }

    @Test func `the loop says who it is, unless the request does`() async throws {
        try await withLoop { loop async throws in
            let first = try await loop.perform(.collecting("\(server.url)/echo"))
            #expect(first.body == Array("GET  tests/1".utf8))
            let second = try await loop.perform(
                .collecting("\(server.url)/echo").with { $0.headers = [("user-agent", "me")] }
            )
            #expect(second.body == Array("GET  me".utf8))
        }
    }

    @Test(arguments: [TransferRequest.Method.post, .put, .patch, .delete])
    func `bytes are sent with their length`(_ method: TransferRequest.Method) async throws {
        try await withLoop { loop async throws in
            let response = try await loop.perform(
                .collecting("\(server.url)/echo").with {
                    $0.method = method
                    $0.body = .bytes(Array(repeating: 7, count: 3_000_000))
                }
            )
            #expect(response.body == Array("\(method.rawValue) 3000000 tests/1".utf8))
            #expect(response.statistics.sentBytes >= 3_000_000)
        }
    }

    @Test(arguments: [nil, 1_000_000] as [Int64?])
    func `a stream is stored as it was`(_ length: Int64?) async throws {
        let pieces = Locked((0..<10).map { [UInt8](repeating: $0, count: 100_000) })
        let name = "dav/stream-\(length ?? 0)"
        try await withLoop { loop async throws in
            let response = try await loop.perform(
                TransferRequest(url: "\(server.url)/\(name)", method: .put).with {
                    $0.body = .stream(length: length) { _ in
                        pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    }
                }
            )
            #expect(response.status == 201)
        }
        let stored = try Data(contentsOf: URL(filePath: server.file(name)))
        #expect(stored == Data((0..<10).flatMap { [UInt8](repeating: $0, count: 100_000) }))
    }

    @Test func `a stream of POST goes in chunks`() async throws {
        let left = Locked(3)
        try await withLoop { loop async throws in
            let response = try await loop.perform(
                .collecting("\(server.url)/echo").with {
                    $0.method = .post
                    $0.body = .stream(length: nil) { _ in
                        left.withLock { left in
                            left -= 1
                            return left < 0 ? nil : [1, 2, 3]
                        }
                    }
                }
            )
            #expect(response.status == 200 && left.withLock { $0 } == -1)
        }
    }

    @Test func `a kept connection is used again, and its phases are fewer`() async throws {
        try await withLoop { loop async throws in
            let first = try await loop.perform(TransferRequest(url: "\(server.url)/204"))
            #expect(first.statistics.phases.resolve == .zero && first.statistics.phases.connect ?? .zero > .zero)
            #expect(first.statistics.phases.tls == nil)
            let second = try await loop.perform(TransferRequest(url: "\(server.url)/204"))
            #expect(second.statistics.phases.connect == nil && second.statistics.phases.resolve == nil)
            #expect(second.statistics.phases.sum == second.statistics.duration)
            #expect(second.statistics.connectionRTT ?? .zero > .zero)
            #expect(second.statistics.remotePort == server.port)
            let fresh = try await loop.perform(
                TransferRequest(url: "\(server.url)/204").with { $0.usesFreshConnection = true }
            )
            #expect(fresh.statistics.phases.connect ?? .zero > .zero)
            #expect(fresh.statistics.connectionRTT ?? .zero > .zero)
        }
    }

    @Test func `a redirect is an answer`() async throws {
        try await withLoop { loop async throws in
            let answer = try await loop.perform(TransferRequest(url: "\(server.url)/moved"))
            #expect(answer.status == 302 && answer.header("Location")?.hasSuffix("/hello") == true)
        }
    }
}
