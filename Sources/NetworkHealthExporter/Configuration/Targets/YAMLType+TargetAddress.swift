import HTTPTransfer
import Posix
import Probing
import StrictYAML

extension YAMLType where Value == String {
    /// What a module can ask; a literal address must be of the family.
    static func address(of module: TargetModule, family: AddressFamily?) -> YAMLType {
        let type: YAMLType =
            switch module {
            case .icmp:
                .place("a host, an IP address or _gateway", allowsGateway: true) { place, text in
                    place.port == nil && !text.hasPrefix("[") && place.address?.isUnicast ?? true
                }
            case .tcp:
                .place("HOST:PORT such as example.com:443 or [2001:db8::1]:443", allowsGateway: false) { place, _ in
                    place.port != nil
                }
            case .dns:
                .place("a host, HOST:PORT, [IPv6]:PORT or _gateway", allowsGateway: true) { _, _ in true }
            case .http, .graphql: .url(["http", "https"])
            }
        guard let family else { return type }
        return YAMLType(expectations: type.expectations) { cursor throws(YAMLError) in
            let text = try type.read(cursor)
            let address = HostPort(text)?.address ?? WebURL(text)?.hostPort.address
            guard address.map({ $0.family == family }) ?? true else {
                throw cursor.mismatch("a name or an address of the ip_family \(family.rawValue)")
            }
            return text
        }
    }

    private static func place(
        _ expectation: String,
        allowsGateway: Bool,
        _ test: @escaping (HostPort, String) -> Bool
    ) -> YAMLType {
        .text(expectation) { text in
            if text == Target.gatewayAddress { return allowsGateway ? text : nil }
            guard let place = HostPort(text), place.zone == nil, place.host != Target.gatewayAddress, test(place, text)
            else { return nil }
            return text
        }
    }
}
