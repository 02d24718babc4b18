import CCurl

/// An absolute http or https URL as libcurl reads it, so that no second parser can read it otherwise.
struct URLParts: Equatable {
    let isTLS: Bool
    /// As written; an IPv6 address in brackets.
    let host: String
    let port: UInt16

    /// The host, with the port where it is not the scheme's: what `Host` says.
    var authority: String { port == (isTLS ? 443 : 80) ? host : "\(host):\(port)" }

    /// - Returns: nil for another scheme, a space or control character, and all that is no URL.
    init?(_ url: String) {
        // libcurl would read `http:///host/`, as browsers do.
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
            let start = url.firstRange(of: "://"), !url[start.upperBound...].hasPrefix("/"),
            let handle = curl_url()
        else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, Self.flags) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: handle), scheme == "http" || scheme == "https",
            let host = Self.part(CURLUPART_HOST, of: handle),
            let port = Self.part(CURLUPART_PORT, of: handle).flatMap({ UInt16($0) })
        else { return nil }
        self.isTLS = scheme == "https"
        self.host = host
        self.port = port
    }

    /// The same URL at another host; nil where that is no host name.
    static func replacingHost(of url: String, by host: String) -> String? {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, flags) == CURLUE_OK,
            curl_url_set(handle, CURLUPART_HOST, host, 0) == CURLUE_OK
        else { return nil }
        return part(CURLUPART_URL, of: handle)
    }

    private static let flags = UInt32(CURLU_PATH_AS_IS)

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
