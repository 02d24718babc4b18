import Coordination
import Lab
import NetworkHealth
import Posix
import Probing
import Statistics
import Testing

@testable import NetworkHealthExporter

struct FarPingsTests {
    @Test(arguments: [false, true])
    func `a ping that was sent over another path says nothing about this one`(isMoved: Bool) async throws {
        let address = try #require(IPAddress("192.0.2.99"))
        let (sent, send) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let far = FarPings { _ in
            send.yield()
            for await _ in answers { break }
            var result = ProbeResult()
            (result.rtt, result.sentBytes) = (.milliseconds(5), 8)
            return result
        }
        let task = Task { await far.run() }
        defer { task.cancel() }
        far.roundBegan(address)
        for await _ in sent { break }
        if isMoved { far.restart() }
        answer.yield()
        try await eventually("the answer") { far.traffic.transmitted > 0 }
        #expect(far.servers.map(\.window.pushes) == (isMoved ? [] : [1]))
    }

    @Test func `an address that has never answered is no evidence, as some networks drop pings`() async throws {
        let address = try #require(IPAddress("192.0.2.99"))
        let isAnswering = Locked(false)
        let far = FarPings { _ in
            var result = isAnswering.withLock { $0 } ? ProbeResult() : ProbeResult(failure: .timeout)
            (result.rtt, result.sentBytes) = (.milliseconds(5), 8)
            return result
        }
        let task = Task { await far.run() }
        defer { task.cancel() }
        for number in 1...3 {
            far.roundBegan(address)
            try await eventually("the end of ping \(number)") { far.traffic.transmitted == UInt64(number) * 28 }
            #expect(far.servers.map(\.window.pushes) == (number == 1 ? [] : [UInt64(number)]))
            // What has answered once is evidence also when it is silent.
            isAnswering.withLock { $0 = number == 1 }
        }
        #expect(far.servers.map(\.window.lossesInARow) == [1])
        far.restart()
        #expect(far.servers.isEmpty)
    }
}
