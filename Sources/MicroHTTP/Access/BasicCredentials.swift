import FoundationEssentials

/// A user's name and password, from the header `Authorization` (RFC 7617).
struct BasicCredentials: Equatable {
    let user: String
    let password: [UInt8]

    /// nil for another scheme, and where anything is malformed.
    init?(_ header: String?) {
        guard let header else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let decoded = Data(base64Encoded: String(parts[1].drop { $0 == " " })),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
            let user = String(validating: decoded[..<colon], as: UTF8.self)
        else { return nil }
        self.user = user
        password = Array(decoded[decoded.index(after: colon)...])
    }
}
