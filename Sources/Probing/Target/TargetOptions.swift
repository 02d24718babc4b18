package import HTTPTransfer

/// What each kind of probe wants to know beside the address.
package enum TargetOptions: Sendable, Equatable {
    case icmp
    case tcp(TCPOptions)
    case dns(DNSOptions)
    case http(HTTPOptions)
    case graphql(GraphQLOptions)

    package var module: TargetModule {
        switch self {
        case .icmp: .icmp
        case .tcp: .tcp
        case .dns: .dns
        case .http: .http
        case .graphql: .graphql
        }
    }
}

/// A TCP connection, with a TLS handshake over it where `tls` is set.
package struct TCPOptions: Sendable, Equatable {
    package var tls: TransferTLS?
    package init() {}
}

/// One question to one server; anything but NOERROR with an answer of the type is a failure.
package struct DNSOptions: Sendable, Equatable {
    package enum RecordType: String, Sendable, CaseIterable {
        case a = "A"
        case aaaa = "AAAA"
        case txt = "TXT"
        case mx = "MX"
    }

    package var query: String
    package var type: RecordType = .a
    package init(query: String) { self.query = query }
}

package struct HTTPOptions: Sendable, Equatable {
    package var method: TransferRequest.Method = .get
    package var headers: [String: String] = [:]
    /// Empty: any 2xx.
    package var expectedStatus: [Int] = []
    /// A pattern that the first 64 KiB of the body must match; nil: the body is not looked at.
    package var bodyPattern: BodyPattern?
    package var request = HTTPRequestOptions()
    package init() {}
}

package struct GraphQLOptions: Sendable, Equatable {
    package var query: String
    package var headers: [String: String] = [:]
    package var request = HTTPRequestOptions()
    package init(query: String) { self.query = query }
}

/// What http and graphql targets share, in Prometheus' words.
package struct HTTPRequestOptions: Sendable, Equatable {
    package var tls = TransferTLS()
    package var proxy: String?
    /// `authorization`, `basic_auth`: the value of the header, ready to send; files are read when the target is made.
    package var authorization: String?
    package init() {}
}
