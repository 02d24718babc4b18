import Posix

@testable import Probing

extension DNSProbe {
    /// Asks for `www.example.com`, or what a test wants instead.
    static func ask(
        _ address: String,
        _ query: String = "www.example.com",
        _ type: DNSProbe.RecordType = .a,
        timeout: Duration = .seconds(20),
        resolver: any NameResolving = FixedResolver(),
        gateways: [ProbeContext.Gateway] = [],
        _ change: (inout Target) -> Void = { _ in }
    ) async throws -> ProbeResult {
        var target = Target(name: "test", address: address, probe: DNSProbe(query: query, type: type))
        target.timeout = timeout
        change(&target)
        let readiness = try Readiness(name: "test")
        defer { readiness.stop() }
        let tools = try ProbeTools.make(resolver: resolver, readiness: readiness)
        return await target.probe.probe(target, in: ProbeContext(gateways: gateways), with: tools)
    }
}
