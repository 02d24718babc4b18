/// Who measures, for the server's log: the query that ndt7 asks for.
struct NDT7ClientName: Sendable {
    let query: String

    /// - Parameter userAgent: begins with `name/version`.
    init(userAgent: String) {
        let product = userAgent.split(separator: " ").first ?? "unknown"
        let parts = product.split(separator: "/", maxSplits: 1)
        let name = Self.safe(parts.first ?? "unknown")
        let version = Self.safe(parts.count > 1 ? parts[1] : "0")
        query = [
            "client_name=\(name)", "client_version=\(version)", "client_library_name=SpeedTestCore",
            "client_library_version=\(version)", "client_os=linux", "client_arch=\(Self.architecture)",
        ].joined(separator: "&")
    }

    /// What needs no encoding in a query.
    private static func safe(_ text: Substring) -> String {
        let kept = text.utf8.filter { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return String(decoding: kept.prefix(64), as: UTF8.self)
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "unknown"
        #endif
    }
}
