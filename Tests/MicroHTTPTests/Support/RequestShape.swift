import Testing

@testable import MicroHTTP

/// The bytes of a request, and what servers make of them.
struct RequestShape: Sendable, CustomTestStringConvertible {
    enum Outcome {
        case answered
        /// With an error, after which the connection is closed.
        case refused
        /// Without an answer.
        case closed

        /// What a server does that gets the request, and then another one that it answers.
        init(of client: Client) {
            switch (try? client.read())?.status {
            case 200: self = (try? client.read())?.status == 200 ? .answered : .closed
            case 400, 413: self = client.isClosed() ? .refused : .answered
            default: self = .closed
            }
        }
    }

    let name: String
    /// What libmicrohttpd 1.0 makes of it, where that is something else.
    var strict: Outcome?
    var line = "GET /a HTTP/1.1\r\n"
    var headers = "Host: x\r\n"
    var body = ""

    var testDescription: String { name }
    var bytes: [UInt8] { Array("\(line)\(headers)\r\n\(body)".utf8) }

    /// What is expected of this process's library.
    func outcome(_ usual: Outcome) -> Outcome { LibraryVersion.current.hasStrictParser ? strict ?? usual : usual }
}
