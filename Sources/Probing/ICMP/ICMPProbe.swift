/// Pings a host, or the router of the path.
package struct ICMPProbe: Probe {
    package static let module = "icmp"
    package static let measuresRoundTrip = true

    package static let failures = ProbeFailure.ofPath

    package init() {}

    package func probe(_ target: Target, in context: ProbeContext, with tools: ProbeTools) async -> ProbeResult {
        await tools.probeAddresses(of: target.address, for: target, in: context) { destination, device, deadline in
            await tools.pinger.ping(destination, name: target.name, device: device, until: deadline)
        }
    }
}
