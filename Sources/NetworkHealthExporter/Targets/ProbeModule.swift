import Posix
import Probing
import PrometheusExposition
import StrictYAML

/// A kind of probe, as the configuration and the metrics have it.
///
/// A new kind conforms in a file of its own and is added to ``ProbeModules/all``.
protocol ProbeModule: Probe {
    /// The probe before its keys are read.
    init()
    /// The addresses of its targets.
    static var addresses: YAMLType<String> { get }
    /// Its keys in a target, in addition to those of every target.
    static var keys: [YAMLKey<Self>] { get }
    /// Rules between its keys; see ``YAMLType/Completion``.
    static func complete(_ probe: inout Self, _ map: MappingReader) throws(YAMLError)
    /// The families that blackbox_exporter has for this kind only, by its names.
    static func families(_ result: ProbeResult) -> [MetricFamily]
}

extension ProbeModule {
    static var keys: [YAMLKey<Self>] { [] }
    static func complete(_ probe: inout Self, _ map: MappingReader) throws(YAMLError) {}

    fileprivate static var targetKeys: [YAMLKey<Target>] {
        keys.map { key in
            key.of(get: { $0.probe as? Self ?? Self() }, set: { $0.probe = $1 })
                .only(where: "module", \.module, is: module)
        }
    }

    fileprivate static func complete(_ target: inout Target, _ map: MappingReader) throws(YAMLError) {
        guard var probe = target.probe as? Self else { return }
        try complete(&probe, map)
        target.probe = probe
    }
}

/// All kinds of probes.
enum ProbeModules {
    /// In the order in which messages list them.
    static let all: [any ProbeModule.Type] = [
        ICMPProbe.self, TCPProbe.self, DNSProbe.self, HTTPProbe.self, GraphQLProbe.self,
    ]

    static func named(_ name: String) -> (any ProbeModule.Type)? { all.first { $0.module == name } }

    /// The names of some kinds, as in `icmp and tcp`.
    static func names(where isIncluded: (any ProbeModule.Type) -> Bool) -> String {
        let names = all.filter(isIncluded).map { $0.module }
        return names.count < 2
            ? names.joined() : "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
    }

    /// The families that blackbox_exporter has for the kind of a target.
    static func families(_ target: Target, _ result: ProbeResult) -> [MetricFamily] {
        named(target.module)?.families(result) ?? []
    }

    // MARK: Configuration

    /// The key `module`.
    static var name: YAMLType<String> {
        .text(anyOf: all.map { $0.module }, parse: { named($0) == nil ? nil : $0 }, write: { .plain($0) })
    }

    /// The keys of all kinds, each for its own targets.
    static var keys: [YAMLKey<Target>] { all.flatMap { $0.targetKeys } }

    static func addresses(of target: Target) -> YAMLType<String> { named(target.module)?.addresses ?? .string }

    static func complete(_ target: inout Target, _ map: MappingReader) throws(YAMLError) {
        try named(target.module)?.complete(&target, map)
    }
}

extension YAMLType where Value == String {
    /// A host with or without a port, or `_gateway`.
    static func host(
        _ expectation: String,
        allowsGateway: Bool,
        _ test: @escaping (HostPort, String) -> Bool = { _, _ in true }
    ) -> YAMLType {
        .text(expectation) { text in
            if text == Target.gatewayAddress { return allowsGateway ? text : nil }
            guard let host = HostPort(text), host.zone == nil, host.host != Target.gatewayAddress, test(host, text)
            else {
                return nil
            }
            return text
        }
    }
}
