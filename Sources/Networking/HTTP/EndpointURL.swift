public import Foundation

extension Endpoint {
    /// The URL of this endpoint below a base URL, of which path and query are kept.
    ///
    /// It never leads to another host, nor out of the base URL's path.
    ///
    /// - Throws: `invalidResponse` where the base has another scheme than http and https, whose answer could be none of HTTP;
    ///   `invalidURL` where it has no scheme or no host, or where the path contains a control character, a segment `.` or `..`,
    ///   or a scheme.
    public func url(below base: URL) throws(HTTPError) -> URL {
        guard var components = URLComponents(url: base, resolvingAgainstBaseURL: true),
            let scheme = components.scheme?.lowercased()
        else { throw .invalidURL }
        guard ["http", "https"].contains(scheme) else { throw .invalidResponse }
        guard components.host?.isEmpty == false else { throw .invalidURL }
        let (path, query) = try target()
        var folder = components.percentEncodedPath
        if !path.isEmpty, folder.hasSuffix("/") { folder.removeLast() }
        components.percentEncodedPath = folder + (path.isEmpty || path.hasPrefix("/") ? path : "/\(path)")
        let items = queryItems.flatMap { $0.isEmpty ? nil : $0.map(Self.encoded).joined(separator: "&") }
        let queries = [components.percentEncodedQuery, query, items].compactMap(\.self).filter { !$0.isEmpty }
        components.percentEncodedQuery = queries.isEmpty ? nil : queries.joined(separator: "&")
        // No server receives it.
        components.fragment = nil
        guard let url = components.url, url.host() == base.absoluteURL.host() else { throw .invalidURL }
        return url
    }

    /// The path and the query that it may contain, both encoded.
    private func target() throws(HTTPError) -> (path: String, query: String?) {
        guard path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }), !Self.isAbsolute(path)
        else { throw .invalidURL }
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        // Client, proxy or server would resolve it, and leave the base URL's path.
        guard
            !segments.contains(where: {
                [".", ".."].contains($0.replacing("%2E", with: ".").replacing("%2e", with: "."))
            })
        else { throw .invalidURL }
        let encoded = Self.encoded(String(parts[0]), keeping: Self.pathBytes)
        return (encoded, parts.count == 1 ? nil : Self.encoded(String(parts[1]), keeping: Self.queryBytes))
    }

    /// Whether it begins as `https://`, which is not meant to become a part of the path.
    private static func isAbsolute(_ path: String) -> Bool {
        guard let end = path.firstRange(of: "://") else { return false }
        return path[..<end.lowerBound].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    private static func encoded(_ item: URLQueryItem) -> String {
        let name = encoded(item.name, keeping: unreserved, keepsEscapes: false)
        return item.value.map { "\(name)=\(encoded($0, keeping: unreserved, keepsEscapes: false))" } ?? name
    }

    /// Percent-encodes every other byte; an escape that is already there stays where `keepsEscapes` says so.
    private static func encoded(_ text: String, keeping kept: Set<UInt8>, keepsEscapes: Bool = true) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "%") && keepsEscapes && index + 2 < bytes.count
                && isHexadecimal(bytes[index + 1]) && isHexadecimal(bytes[index + 2])
            if isEscape || kept.contains(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        UnicodeScalar(byte).properties.isASCIIHexDigit
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
    /// RFC 3986 section 2.3.
    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    /// Section 3.3, with the slash between segments.
    private static let pathBytes = unreserved.union("!$&'()*+,;=:@/".utf8)
    /// Section 3.4.
    private static let queryBytes = pathBytes.union("?".utf8)
}
