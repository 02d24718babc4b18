import Posix
import Probing
import StrictYAML

extension Target {
    /// Reads one target; its files lie in `folder`.
    init(reading map: inout MappingReader, in folder: ConfigurationFolder) throws(YAMLError) {
        let name = try map.required("name", as: .targetName)
        let module: TargetModule = try map.required("module", as: .oneOf)
        let family: AddressFamily? = try map.read("ip_family", as: .keyword("auto", or: .oneOf), default: nil)
        let address = try map.required("address", as: .address(of: module, family: family))
        try ModuleKeys.check(map, module)
        self.init(name: name, address: address, probe: try module.probe(reading: &map, in: folder))
        self.family = family
        interval = try map.read(
            "interval",
            as: .duration(in: .milliseconds(100) ... .seconds(86_400)),
            default: interval
        )
        timeout = try map.read(
            "timeout",
            as: .duration(in: .milliseconds(10) ... .seconds(300)),
            default: timeout
        )
        interface = try map.optional("interface", as: .deviceName)
        let labels = try map.read("labels", as: .dictionary(of: .string, names: .labelName), default: [])
        self.labels = Dictionary(labels.map { ($0.name, $0.value) }) { first, _ in first }
        onExpensive = try map.optional("on_expensive", as: .oneOf)
        let constrainedRule = YAMLType.text(anyOf: [CostRule.run.rawValue, CostRule.skip.rawValue]) { text in
            text == CostRule.slow.rawValue ? nil : CostRule(rawValue: text)
        }
        onConstrained = try map.optional("on_constrained", as: constrainedRule)
    }
}

enum TargetModule: String, CaseIterable {
    case icmp, tcp, dns, http, graphql

    fileprivate func probe(
        reading map: inout MappingReader,
        in folder: ConfigurationFolder
    ) throws(YAMLError) -> any Probe {
        switch self {
        case .icmp: ICMPProbe()
        case .tcp: try TCPProbe(reading: &map, in: folder)
        case .dns: try DNSProbe(reading: &map)
        case .http: try HTTPProbe(reading: &map, in: folder)
        case .graphql: try GraphQLProbe(reading: &map, in: folder)
        }
    }
}
