/// One event of `/api/v1/stream`, as the HTML standard has them (section 9.2).
struct ServerSentEvent: Sendable, Equatable {
    /// What it is about.
    enum Kind: String, Sendable, CaseIterable {
        case snapshot, transition, speedtest
    }

    var id: String
    var kind: Kind
    /// JSON, which has no line end.
    var data: [UInt8]

    /// What goes over the line.
    var bytes: [UInt8] {
        Array("id: \(id)\nevent: \(kind.rawValue)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    /// A comment, so that proxies and clients know that the connection lives.
    static let heartbeat = Array(": \n\n".utf8)
}
