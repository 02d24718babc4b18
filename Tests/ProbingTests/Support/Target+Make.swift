import Probing

extension Target {
    static func make(
        _ name: String,
        _ probe: any Probe = ICMPProbe(),
        address: String = "192.0.2.1",
        every interval: Duration = .seconds(1)
    ) -> Target {
        var target = Target(name: name, address: address, probe: probe)
        target.interval = interval
        return target
    }
}

extension ProbeResult {
    /// A success after so long.
    static func success(_ milliseconds: Int, rtt: Int? = nil) -> ProbeResult {
        var result = ProbeResult()
        result.duration = .milliseconds(milliseconds)
        result.rtt = rtt.map { .milliseconds($0) }
        return result
    }
}
