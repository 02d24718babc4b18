import MicroHTTP

/// One path of a dialect of the embedded speed-test server.
struct SpeedTestRow: Sendable {
    var method: Method
    /// Below the server's base, beginning with `/`.
    var path: String
    /// Also at the web root, for clients that have the address built in.
    var isAtRoot = false
    var handler: Route.Handler

    /// A page or a download.
    static func get(
        _ path: String,
        atRoot isAtRoot: Bool = false,
        _ answer: @escaping @Sendable (Request) -> Response
    ) -> SpeedTestRow {
        SpeedTestRow(method: .get, path: path, isAtRoot: isAtRoot, handler: .immediate(answer))
    }

    /// An upload.
    static func post(
        _ path: String,
        atRoot isAtRoot: Bool = false,
        _ admit: @escaping @Sendable (Request) -> Route.Admission
    ) -> SpeedTestRow {
        SpeedTestRow(method: .post, path: path, isAtRoot: isAtRoot, handler: .sink(admit))
    }
}
