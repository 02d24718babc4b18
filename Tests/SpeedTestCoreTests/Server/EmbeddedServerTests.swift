import Coordination
import Statistics
import Testing

@testable import SpeedTestCore

struct EmbeddedServerTests {
    @Test func `counts a transfer from its begin to its end, also where it ends twice`() throws {
        let server = EmbeddedServer(limits: ServerLimits())
        let transfer = try server.begin(peer: "127.0.0.1", test: "t")
        #expect(transfer.receive(10) == nil && transfer.transmit(5) == nil)
        #expect(
            server.statistics == .init(activeTransfers: 1, bytes: .init(received: 10, transmitted: 5), rejected: [:])
        )
        let other = try server.begin(peer: "127.0.0.1")
        transfer.end()
        transfer.end()
        #expect(server.statistics?.activeTransfers == 1)
        other.end()
        #expect(server.statistics?.activeTransfers == 0)
        let count = try #require(server.count(ofTest: "t"))
        #expect(count.bytes == 10 && count.firstByteAt >= 0 && count.lastByteAt >= count.firstByteAt)
    }

    @Test func `a released transfer has ended`() throws {
        let server = EmbeddedServer(limits: ServerLimits())
        do { _ = try server.begin(peer: "a") }
        #expect(server.statistics?.activeTransfers == 0)
    }

    @Test func `ends a transfer past its bytes, by new limits at once`() throws {
        var limits = ServerLimits()
        limits.maxBytes = 10
        let server = EmbeddedServer(limits: limits)
        let transfer = try server.begin(peer: "a")
        #expect(transfer.byteLimit == 10)
        #expect(transfer.receive(10) == nil)
        limits.maxBytes = 5
        server.apply(limits)
        #expect(transfer.receive(1) == ServerRefusal(.bytes))
        #expect(server.statistics?.rejected == [.bytes: 1])
    }

    @Test func `each refusal that is counted is reported once, with the client`() throws {
        let reported = Locked<[String]>([])
        var limits = ServerLimits()
        limits.maxBytes = 10
        limits.maxClients = 1
        let server = EmbeddedServer(limits: limits) { refusal, peer in
            reported.withLock { $0.append("\(peer) \(refusal.reason)") }
        }
        #expect(throws: ServerRefusal.self) { try server.check(peer: "8.8.8.8", foreignOrigin: nil) }
        let transfer = try server.begin(peer: "127.0.0.1")
        #expect(throws: ServerRefusal.self) { try server.begin(peer: "127.0.0.2") }
        #expect(transfer.receive(11) != nil && transfer.receive(1) != nil)
        transfer.end(isCut: true)
        #expect(reported.withLock { $0 } == ["8.8.8.8 address", "127.0.0.2 clients", "127.0.0.1 bytes"])
    }

    @Test func `off has no statistics`() {
        let server = EmbeddedServer(limits: nil)
        #expect(!server.isOn && server.statistics == nil)
        server.apply(ServerLimits())
        #expect(server.isOn && server.statistics != nil)
    }

    @Test func `noise follows from its seed and does not repeat`() {
        let noise = NoiseBuffer.make(seed: 1)
        #expect(noise.count == 1_048_576)
        #expect(noise == NoiseBuffer.make(seed: 1))
        #expect(noise != NoiseBuffer.make(seed: 2))
        let words = stride(from: 0, to: noise.count, by: 8).map { Array(noise[$0..<$0 + 8]) }
        #expect(Set(words).count == words.count)
    }

    @Test func `noise that was discarded is made again, and a sender keeps the bytes that it has`() {
        let old = NoiseBuffer.shared
        NoiseBuffer.discard()
        let new = NoiseBuffer.shared
        #expect(new != old && new.count == old.count)
    }
}
