import Foundation
import NetworkHealth
import NetworkPath

extension Interface {
    static let wifi = Interface(name: "wlan0", index: 3, type: .wifi, linkSpeed: 300_000_000)
    static let cellular = Interface(name: "wwan0", index: 4, type: .cellular)
    static let tunnel = Interface(name: "wg0", index: 5, type: .other, isVirtual: true, isTunnel: true)
}

extension HealthState {
    /// A state over one device, at a fixed time.
    static func online(over interface: Interface = .wifi, _ change: (inout Path) -> Void = { _ in }) -> HealthState {
        var path = Path(status: .satisfied)
        path.interface = interface
        change(&path)
        return HealthState(path: path, timestamp: Date(timeIntervalSince1970: 1_700_000_000))
    }

    /// A state without a path, at a fixed time.
    static func offline(_ reason: Path.UnsatisfiedReason? = .noRoute) -> HealthState {
        HealthState(
            path: Path(status: .unsatisfied, unsatisfiedReason: reason),
            timestamp: Date(timeIntervalSince1970: 1_700_000_000)
        )
    }
}
