import OfflineQueue
import Posix
import StrictYAML

/// The key `offline_queue`: which requests applications may hand over for later delivery.
struct OfflineQueueSection: Sendable, Equatable {
    /// A host that requests may go to.
    struct AllowedHost: Sendable, Equatable {
        /// A name or an address, in lower case, an IPv6 address without brackets.
        var host = ""
        var schemes = ["https"]
        var ports = [443]
        var methods = ["POST", "PUT"]
        /// What the path must begin with; empty: nothing.
        var paths: [String] = []
        /// Added to each request, in place of its own.
        var headers: [String: String] = [:]
        /// Whether the name may have a private, link-local or loopback address; an address that is listed may be one.
        var allowsPrivate = false
    }

    var isEnabled = false
    var maxRequests = 10_000
    var maxBytes = 64_000_000
    var maxAge = Duration.seconds(86_400)
    /// 0: as many as fit in the age.
    var maxRetries = 0
    /// The file's content; nil: none.
    var bearerToken: String?
    var allowedHosts: [AllowedHost] = []

    var limits: QueueLimits {
        QueueLimits(maxRequests: maxRequests, maxBytes: maxBytes, maxAge: maxAge)
    }

    static var keys: [YAMLKey<OfflineQueueSection>] {
        [
            .key("enabled", \.isEnabled, .bool),
            .key("max_requests", \.maxRequests, .int(in: 1...1_000_000)),
            .key(
                "max_bytes",
                \.maxBytes,
                YAMLType<Int>.byteSize.checked("a size from 1kB to 10GB") {
                    (1000...10_000_000_000).contains($0)
                }
            ),
            .key("max_age", \.maxAge, .duration(in: .seconds(60) ... .seconds(30 * 86_400))),
            .key("max_retries", \.maxRetries, .int(in: 0...1_000_000)),
            .key("bearer_token_file", \.bearerToken, .emptyOr(.secretFile)),
            .key("allowed_hosts", \.allowedHosts, .list(of: AllowedHost.type, distinct: \.host)),
        ]
    }
}

extension OfflineQueueSection.AllowedHost {
    static var type: YAMLType<Self> {
        .section(
            Self(),
            [
                .required("host", \.host, host),
                .key("schemes", \.schemes, schemes),
                .key("ports", \.ports, .list(of: .int(in: 1...65_535))),
                .key("methods", \.methods, .list(of: method)),
                .key("paths", \.paths, YAMLType<[String]>.list(of: path).omitted(\.isEmpty)),
                .key("headers", \.headers, YAMLType<[String: String]>.headers.omitted(\.isEmpty)),
                .key("allow_private", \.allowsPrivate, YAMLType<Bool>.bool.omitted { !$0 }),
            ]
        )
    }

    private static var host: YAMLType<String> {
        .text("a host's name such as api.example.com, or an address") { text in
            let text = text.lowercased()
            if let address = IPAddress(text) { return "\(address)" }
            return HostPort(text).map { $0.port == nil && $0.host == text } == true ? text : nil
        }
    }

    private static var schemes: YAMLType<[String]> {
        let names = ["https", "http"]
        let scheme = YAMLType<String>.text("one of \(names.joined(separator: ", "))") { names.contains($0) ? $0 : nil }
        // Without any it would allow no request, and could be read as allowing all.
        return .list(of: scheme).checked("at least one of \(names.joined(separator: ", "))") { !$0.isEmpty }
    }

    private static var path: YAMLType<String> {
        .text(
            "a path such as /v1/, without dot segments, empty segments, query and escapes that servers read differently"
        ) {
            RequestPath.isPlain($0) && $0.utf8.allSatisfy { !"?#".utf8.contains($0) } ? $0 : nil
        }
    }

    private static var method: YAMLType<String> {
        let names = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        return .text("one of \(names.joined(separator: ", "))") { names.contains($0) ? $0 : nil }
    }
}
