import Foundation
import NetworkHealth
import NetworkPath
import Testing

struct NetworkStatusTests {
    @Test(arguments: Path.UnsatisfiedReason.allCases)
    func `a path that is not satisfied is disconnected without link or route, else unsatisfied`(
        reason: Path.UnsatisfiedReason
    ) {
        let state = HealthState(path: Path(status: .unsatisfied, unsatisfiedReason: reason), timestamp: .now)
        #expect(state.status == ([.linkDown, .noRoute].contains(reason) ? .disconnected : .unsatisfied))
        #expect(state.isOnline == false)
    }

    @Test(arguments: [
        (Path(status: .satisfied), NetworkStatus.connected), (Path(status: .unsatisfied), .disconnected),
        (Path(status: .requiresConnection, unsatisfiedReason: .connecting), .requiresConnection),
        (Path(status: .requiresConnection, unsatisfiedReason: .cellularInactive), .requiresConnection),
        (Path(status: .requiresConnection), .requiresConnection),
    ])
    func `follows the status of the path`(path: Path, expected: NetworkStatus) {
        let state = HealthState(path: path, timestamp: .now)
        #expect(state.status == expected)
        #expect(state.isOnline == (expected == .connected))
    }

    @Test func `only connected is connected`() {
        #expect(NetworkStatus.allCases.filter(\.isConnected) == [.connected])
        #expect(
            NetworkStatus.allCases.map(\.rawValue) == [
                "connected", "disconnected", "requires_connection", "unsatisfied",
            ]
        )
        #expect(NetworkStatus.requiresConnection.description == "requires connection")
    }

    @Test(arguments: [
        (Interface.InterfaceType.wifi, ConnectionType.wifi), (.cellular, .cellular), (.wiredEthernet, .ethernet),
        (.other, .other), (.loopback, .other), (.unknown, .unknown),
    ])
    func `names the connection by the interface`(type: Interface.InterfaceType, expected: ConnectionType) {
        #expect(HealthState(path: .over(type), timestamp: .now).connectionType == expected)
        let underlay = Interface(name: "below", index: 9, type: type)
        let tunnel = Path.over(.other, name: "wg0", underlay: underlay)
        #expect(HealthState(path: tunnel, timestamp: .now).connectionType == expected)
    }
}
