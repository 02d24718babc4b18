import Posix

@testable import Probing

extension DNSProbe {
    /// Asks for `www.example.com`, or what a test wants instead.
    static func ask(
        _ address: String,
        _ query: String = "www.example.com",
        _ type: DNSOptions.RecordType = .a,
        timeout: Duration = .seconds(20),
        resolver: any NameResolving = FixedResolver(),
        gateways: [ProbeSurroundings.Gateway] = [],
        _ change: (inout Target) -> Void = { _ in }
    ) async throws -> ProbeResult {
        var options = DNSOptions(query: query)
        options.type = type
        var target = Target(name: "test", address: address, options: .dns(options))
        target.timeout = timeout
        change(&target)
        let readiness = try Readiness(name: "test")
        defer { readiness.stop() }
        let probe = DNSProbe(resolver: resolver, readiness: readiness)
        return await probe.probe(target, in: ProbeSurroundings(gateways: gateways))
    }
}
