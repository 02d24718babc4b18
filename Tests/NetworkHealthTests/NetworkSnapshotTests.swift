import Foundation
import NetworkPath
import Testing

@testable import NetworkHealth

struct NetworkSnapshotTests {
    private static let base = NetworkSnapshot(
        quality: .good,
        connectionType: .wifi,
        isExpensive: false,
        isConstrained: false,
        interfaceName: "wlan0",
        timestamp: Date(timeIntervalSince1970: 0)
    )

    /// Each field that counts, changed alone.
    private static let changes: [@Sendable (inout NetworkSnapshot) -> Void] = [
        { $0.quality = .poor }, { $0.connectionType = .ethernet }, { $0.isExpensive = true },
        { $0.isConstrained = true }, { $0.interfaceName = nil }, { $0.downloadSpeedMbps = 1 },
        { $0.uploadSpeedMbps = 1 }, { $0.isCostKnown = false },
    ]

    @Test(arguments: changes.indices)
    func `a change of one field is a change`(index: Int) {
        var changed = Self.base
        Self.changes[index](&changed)
        #expect(changed.differs(from: Self.base))
        #expect(Self.base.differs(from: changed))
    }

    @Test func `times and latency alone are no change`() {
        var later = Self.base
        later.timestamp = Date(timeIntervalSince1970: 99)
        later.since = Date(timeIntervalSince1970: 98)
        later.latency = 0.5
        #expect(!later.differs(from: Self.base))
    }

    @Test func `the first snapshot is a change`() {
        #expect(Self.base.differs(from: nil))
    }

    @Test func `is made of the state, with nothing measured`() {
        var path = Path.over(.cellular, name: "wwan0")
        path.isExpensive = true
        path.isConstrained = true
        let snapshot = HealthState(path: path, timestamp: Date(timeIntervalSince1970: 7))
            .snapshot(at: Date(timeIntervalSince1970: 9))
        #expect(snapshot.quality == .moderate)
        #expect(snapshot.connectionType == .cellular)
        #expect(snapshot.isExpensive && snapshot.isConstrained)
        #expect(snapshot.interfaceName == "wwan0")
        #expect(snapshot.timestamp == Date(timeIntervalSince1970: 9))
        #expect(snapshot.since == Date(timeIntervalSince1970: 7))
        #expect(snapshot.downloadSpeedMbps == nil && snapshot.uploadSpeedMbps == nil && snapshot.latency == nil)
    }

    @Test func `a cost that no source knows is neither expensive nor unmetered`() {
        var path = Path.over(.wiredEthernet)
        (path.viewpoint, path.expensiveSource) = (.container, .unknown)
        let unknown = HealthState(path: path, timestamp: .now).snapshot(at: .now)
        #expect(!unknown.isExpensive && !unknown.isCostKnown && !unknown.isUnmetered)
        path.expensiveSource = .flag
        let known = HealthState(path: path, timestamp: .now).snapshot(at: .now)
        #expect(!known.isExpensive && known.isCostKnown && known.isUnmetered)
        #expect(!NetworkSnapshot.unknown(at: .now).isCostKnown)
    }

    @Test(.timeLimit(.minutes(3))) func `the library's snapshot is the first value of its stream`() async {
        let snapshot = await NetworkHealth.snapshot()
        for await first in NetworkHealth.stream() {
            #expect(first.interfaceName == snapshot.interfaceName)
            #expect(first.quality == snapshot.quality)
            break
        }
    }
}
