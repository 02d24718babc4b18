import Coordination
import Foundation
import NetworkPath
import Testing

@testable import NetworkHealth

@Suite(.timeLimit(.minutes(3)))
struct SnapshotStreamTests {
    @Test func `yields the current value first, then each change once`() async {
        let monitor = HealthMonitor()
        var path = Path.over(.wifi)
        monitor.receive(.made(path, 1, evidence: 0, published: 0))
        let snapshots = monitor.snapshots.values()
        // The same again, with another path that changes nothing that a program sees.
        monitor.receive(.made(path, 2, evidence: 1, published: 1))
        path.gateways = ["192.0.2.1"]
        monitor.receive(.made(path, 3, evidence: 2, published: 2))
        path.isExpensive = true
        monitor.receive(.made(path, 4, evidence: 3, published: 3))
        monitor.snapshots.finish()
        var seen: [Bool] = []
        for await snapshot in snapshots { seen.append(snapshot.isExpensive) }
        #expect(seen == [false, true])
    }

    @Test func `the first snapshot is taken when the stream begins, and a later one at its change`() async throws {
        let monitor = HealthMonitor()
        monitor.receive(.now(.over(.wifi), 1))
        let began = try #require(monitor.current).timestamp
        let asked = Date.now
        let stream = monitor.snapshotChanges()
        monitor.receive(.now(.over(.cellular), 2))
        let changed = try #require(monitor.current).timestamp
        var taken: [NetworkSnapshot] = []
        for await snapshot in stream.prefix(2) { taken.append(snapshot) }
        #expect(taken.map(\.since) == [began, changed] && taken[1].timestamp == changed)
        #expect(taken[0].timestamp >= asked && taken[0].timestamp <= changed)
    }

    @Test func `ends with its task, and a thousand that came and went leave nothing behind`() async {
        // Its own: that of the process has the readers of other tests, too.
        let monitor = HealthMonitor()
        let readers = monitor.snapshots
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    var count = 0
                    for await _ in monitor.snapshotChanges() { count += 1 }
                    return count
                }
            }
            while readers.readerCount < 1000 { await Task.yield() }
            group.cancelAll()
            for await count in group { #expect(count <= 64) }
        }
        #expect(readers.readerCount == 0)
    }
}
