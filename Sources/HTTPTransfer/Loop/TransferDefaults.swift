/// What the requests of one loop have in common.
struct TransferDefaults: Sendable {
    /// Debian's bundle; its libcurl would otherwise read every file of the directory at each handshake.
    static let systemCAFile = "/etc/ssl/certs/ca-certificates.crt"

    let caFile: String
    let userAgent: String
    let sockets: TransferSockets
    /// How many names libcurl may look up at once.
    let mostLookups: Int
}
