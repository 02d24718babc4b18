import Lab
import Testing

@testable import NetworkPath

/// Radios that are switched off: read from a folder that looks like sysfs, and what they make of a missing path.
struct RadioTests {
    private let root: TemporaryFolder

    init() throws { root = try TemporaryFolder() }

    private func radio(_ number: Int, _ files: [String: String]) throws {
        for (name, text) in files { try root.write("class/rfkill/rfkill\(number)/\(name)", text) }
    }

    @Test func `reads the radios that can carry a path`() throws {
        try radio(0, ["type": "wlan\n", "soft": "0\n", "hard": "1\n"])
        try radio(1, ["type": "bluetooth\n", "soft": "1\n", "hard": "0\n"])
        try radio(2, ["type": "wwan\n", "soft": "0\n", "hard": "0\n"])
        let radios = Radio.all(sysfsRoot: root.path).sorted { $0.kind.rawValue < $1.kind.rawValue }
        #expect(radios == [Radio(kind: .wifi, isBlocked: true), Radio(kind: .cellular, isBlocked: false)])
    }

    @Test func `a machine without radios has none`() {
        #expect(Radio.all(sysfsRoot: root.path).isEmpty)
    }

    @Test(arguments: [
        ([Radio(kind: .wifi, isBlocked: true)], Path.UnsatisfiedReason.wifiDenied),
        ([Radio(kind: .cellular, isBlocked: true)], .cellularDenied),
        ([Radio(kind: .cellular, isBlocked: true), Radio(kind: .wifi, isBlocked: true)], .wifiDenied),
        ([Radio(kind: .wifi, isBlocked: true), Radio(kind: .cellular, isBlocked: false)], .noRoute),
        ([Radio(kind: .wifi, isBlocked: false)], .noRoute), ([], .noRoute),
    ])
    func `without a route the only radios being off is the reason`(radios: [Radio], reason: Path.UnsatisfiedReason) {
        var state = RawState()
        state.radios = radios
        #expect(PathEvaluator.evaluate(state, now: .now).path.unsatisfiedReason == reason)
    }

    @Test(arguments: [true, false]) func `with a cable in, a radio that is off is no reason`(isKnown: Bool) {
        var state = RawState.make(.make(2, "eth0"))
        if !isKnown { state.deviceFacts = [:] }
        state.radios = [Radio(kind: .wifi, isBlocked: true)]
        #expect(PathEvaluator.evaluate(state, now: .now).path.unsatisfiedReason != .wifiDenied)
    }
}
