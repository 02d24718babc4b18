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
        self.init(name: name, address: address, options: try TargetOptions(reading: &map, of: module, in: folder))
        self.family = family
        interval = try map.read(
            "interval",
            as: .duration(in: .milliseconds(100) ... .seconds(86_400)),
            default: interval
        )
        timeout = try map.read(
            "timeout",
            as: .duration(in: .milliseconds(10) ... .seconds(300)),
            default: module == .http || module == .graphql ? .seconds(5) : timeout
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

extension TargetOptions {
    fileprivate init(
        reading map: inout MappingReader,
        of module: TargetModule,
        in folder: ConfigurationFolder
    ) throws(YAMLError) {
        switch module {
        case .icmp: self = .icmp
        case .tcp: self = .tcp(try TCPOptions(reading: &map, in: folder))
        case .dns: self = .dns(try DNSOptions(reading: &map))
        case .http: self = .http(try HTTPOptions(reading: &map, in: folder))
        case .graphql: self = .graphql(try GraphQLOptions(reading: &map, in: folder))
        }
    }
}
