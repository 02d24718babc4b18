import HTTPTransfer
import Posix
import Probing
import StrictYAML

extension Target {
    /// An element of `targets`.
    static var type: YAMLType<Target> {
        .section(
            Target(name: "", address: "", probe: ICMPProbe()),
            [
                .required("name", \.name, .targetName),
                .required("module", \.moduleName, ProbeModules.name),
                .required("address", \.address) { ProbeModules.addresses(of: $0) },
                .key("interval", \.interval, .duration(in: .milliseconds(100) ... .seconds(86_400))),
                .key("timeout", \.timeout, .duration(in: .milliseconds(10) ... .seconds(300))),
                .key("ip_family", \.family, .keyword("auto", or: .oneOf)),
                .key("interface", \.interface, .optional(.deviceName)),
                .key("labels", \.labels, YAMLType.dictionary(of: .string, names: .labelName).omitted(\.isEmpty)),
                .key("on_expensive", \.onExpensive, .optional(.oneOf)),
                .key("on_constrained", \.onConstrained, .optional(.oneOf([.run, .skip]))),
                .key("counts_for_latency", \.countsForLatency, .optional(.bool)),
            ] + ProbeModules.keys,
            complete: { (target, map) throws(YAMLError) in
                try target.checkFamily(map)
                try ProbeModules.complete(&target, map)
            }
        )
    }

    /// The key `module`; another value makes it a probe of that kind, with its defaults.
    private var moduleName: String {
        get { module }
        set {
            guard let kind = ProbeModules.named(newValue) else { return }
            self = Target(name: name, address: address, probe: kind.init())
        }
    }

    /// A literal address must be of the family.
    private func checkFamily(_ map: MappingReader) throws(YAMLError) {
        guard let family, let literal = HostPort(address)?.address ?? WebURL(address)?.hostPort.address,
            literal.family != family
        else { return }
        let expectation = "a name or an address of the ip_family \(family.rawValue)"
        throw map.error("expected \(expectation), found \(JSONText.quoted(address))", at: "address")
    }
}
