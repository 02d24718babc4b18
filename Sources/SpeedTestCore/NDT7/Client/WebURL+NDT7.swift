import HTTPTransfer

/// Where a WebSocket of ndt7 is opened: a URL whose scheme is http or https, as libcurl needs it.
extension WebURL {
    /// Reads a ws, wss, http or https URL.
    ///
    /// - Returns: nil for another scheme, for user information, for what is not ASCII, and where there is no host.
    init?(ndt7 text: String) {
        guard text.utf8.allSatisfy({ $0 < 0x7f }), let url = WebURL(text, schemes: Self.webSchemes),
            url.userInfo == nil
        else { return nil }
        self = url
        scheme = url.isTLS ? "https" : "http"
        host = url.host.lowercased()
    }

    /// The path of one direction below this base.
    func test(_ direction: Direction) -> WebURL {
        var url = self
        url.path = (path.hasSuffix("/") ? String(path.dropLast()) : path) + NDT7.path(direction)
        return url
    }

    func adding(query more: String) -> WebURL {
        var url = self
        url.query = query.map { "\($0)&\(more)" } ?? more
        return url
    }

    /// The same host and port without TLS, for a connection that sends nothing.
    var withoutTLS: WebURL { WebURL(scheme: "http", host: host, port: port) }

    /// Whether it is asked where to measure, instead of measured against: `/v2/nearest/ndt/ndt7`.
    var isLocator: Bool { path.contains("/v2/") }

    /// Whether it is M-Lab's, where every result is published.
    var isMLab: Bool {
        ["measurementlab.net", "measurement-lab.org", "mlab-ns.appspot.com"].contains {
            host == $0 || host.hasSuffix(".\($0)")
        }
    }
}
