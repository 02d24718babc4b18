import Posix
import Probing
import StrictYAML

extension Target {
    static var type: YAMLType<Target> {
        YAMLType(
            expectations: ["a mapping"],
            read: YAMLType.section { (map: inout MappingReader) throws(YAMLError) in try Target(reading: &map) }.read,
            write: { target in .mapping(target.yamlEntries.map { .init($0.0, .plain($0.1)) }) }
        )
    }

    init(reading map: inout MappingReader) throws(YAMLError) {
        let name = try map.required("name", as: .targetName)
        let module: TargetModule = try map.required("module", as: .oneOf)
        let family: AddressFamily? = try map.read("ip_family", as: .keyword("auto", or: .oneOf), default: nil)
        let address = try map.required("address", as: .address(of: module, family: family))
        try ModuleKeys.check(map, module)
        self.init(name: name, address: address, probe: try module.probe(reading: &map))
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
        labels = try map.read("labels", as: .dictionary(of: .string, names: .labelName), default: [:])
        onExpensive = try map.optional("on_expensive", as: .oneOf)
        onConstrained = try map.optional("on_constrained", as: YAMLType.oneOf([.run, .skip]))
    }
}

enum TargetModule: String, CaseIterable {
    case icmp, tcp, dns, http, graphql

    fileprivate func probe(reading map: inout MappingReader) throws(YAMLError) -> any Probe {
        switch self {
        case .icmp: ICMPProbe()
        case .tcp: try TCPProbe(reading: &map)
        case .dns: try DNSProbe(reading: &map)
        case .http: try HTTPProbe(reading: &map)
        case .graphql: try GraphQLProbe(reading: &map)
        }
    }
}
