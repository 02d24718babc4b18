/// Which probe serves which kind of target: a new kind is a property and a line of the switch.
package struct ProbeTable: Sendable {
    private let icmp, tcp, dns, http, graphql: any Probe

    package init(icmp: any Probe, tcp: any Probe, dns: any Probe, http: any Probe, graphql: any Probe) {
        (self.icmp, self.tcp, self.dns, self.http, self.graphql) = (icmp, tcp, dns, http, graphql)
    }

    package subscript(module: TargetModule) -> any Probe {
        switch module {
        case .icmp: icmp
        case .tcp: tcp
        case .dns: dns
        case .http: http
        case .graphql: graphql
        }
    }
}
