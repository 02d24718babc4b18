import FoundationEssentials
import HTTPTransfer

/// A server that can be measured against: where each direction is.
struct NDT7Candidate: Sendable, Equatable {
    let download: WebURL
    let upload: WebURL

    subscript(direction: Direction) -> WebURL { direction == .download ? download : upload }

    /// Both directions below one base.
    init(base: WebURL) {
        download = base.test(.download)
        upload = base.test(.upload)
    }

    /// Reads what a locate service answered, in its order; TLS where it offers both.
    ///
    /// - Returns: empty where it names no server, nil where it is no such answer.
    static func located(in json: [UInt8]) -> [Self]? {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(json)) else { return nil }
        return (answer.results ?? []).compactMap { Self($0.urls) }
    }

    /// - Parameter urls: such as `wss:///ndt/v7/download` and the whole URL, its token included.
    private init?(_ urls: [String: String]) {
        func address(_ direction: Direction) -> WebURL? {
            (urls["wss://\(NDT7.path(direction))"] ?? urls["ws://\(NDT7.path(direction))"]).flatMap { WebURL(ndt7: $0) }
        }
        guard let download = address(.download), let upload = address(.upload) else { return nil }
        self.download = download
        self.upload = upload
    }

    private struct Answer: Decodable {
        var results: [Server]?
    }

    private struct Server: Decodable {
        var urls: [String: String]
    }
}
