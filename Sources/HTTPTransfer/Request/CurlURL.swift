import CCurl

/// A URL as libcurl takes it apart.
struct CurlURL: ~Copyable {
    private let handle: OpaquePointer

    /// - Parameters:
    ///   - text: The URL.
    ///   - flags: Those of curl_url_set(3), `CURLU_…`.
    init?(_ text: String, flags: Int32) {
        guard let handle = curl_url() else { return nil }
        guard curl_url_set(handle, CURLUPART_URL, text, UInt32(flags)) == CURLUE_OK else {
            curl_url_cleanup(handle)
            return nil
        }
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    /// One part as written; nil without it.
    func part(_ part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// The host without the brackets of an IPv6 address.
    var host: String? {
        part(CURLUPART_HOST).map { $0.hasPrefix("[") ? String($0.dropFirst().dropLast()) : $0 }
    }
}
