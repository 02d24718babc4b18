import FoundationEssentials
import HTTPTransfer
import Posix

/// Apple's networkQuality (draft-ietf-ippm-responsiveness-09): a JSON file has the other URLs.
struct NetworkQualityDialect: SpeedTestDialect {
    private let configuration: String
    private var urls = URLs(small: "", large: "", upload: "")

    /// The server's root, or the file itself.
    init(base: WebURL) {
        let isFile = ["/nq", "/config"].contains { base.base.hasSuffix($0) }
        configuration = isFile ? base.base : "\(base.base)/.well-known/nq"
    }

    /// The large object has at least 8 GiB, of which a part is requested; some servers refuse larger uploads.
    var largest: (download: UInt64, upload: UInt64) { (8 << 30, 100_000_000) }

    mutating func prepare(asking transport: any SpeedTestTransport) async throws(SpeedTestFailure) {
        var request = SpeedTestRequest.small(configuration)
        request.timeout = .seconds(10)
        let response = try await transport.ask(request)
        if let failure = SpeedTestFailure(refusal: response, of: request) { throw failure }
        guard let urls = URLs(json: response.body) else {
            throw SpeedTestFailure(.status, "\(configuration) is not a networkQuality configuration of version 1")
        }
        self.urls = urls
    }

    func ping() -> SpeedTestRequest { .small(urls.small) }

    func isPong(_ response: SpeedTestResponse) -> Bool { response.status == 200 && response.body.count == 1 }

    func download(bytes: UInt64) -> SpeedTestRequest {
        var request = SpeedTestRequest.download(urls.large)
        request.headers["Range"] = "bytes=0-\(max(1, bytes) - 1)"
        return request
    }

    func upload(bytes: UInt64, id: String) -> SpeedTestRequest { .upload(urls.upload) }
}

extension NetworkQualityDialect {
    /// The three URLs, all of one host, under the draft's names or those of deployed servers.
    struct URLs: Sendable, Equatable {
        var small: String
        var large: String
        var upload: String
    }
}

extension NetworkQualityDialect.URLs {
    private struct File: Decodable {
        var version: Int
        var urls: [String: String]
    }

    /// - Returns: nil for another version, a missing URL, and URLs of different hosts.
    init?(json: [UInt8]) {
        guard let file = try? JSONDecoder().decode(File.self, from: Data(json)), file.version == 1,
            let small = file.urls["small_download_url"] ?? file.urls["small_https_download_url"],
            let large = file.urls["large_download_url"] ?? file.urls["large_https_download_url"],
            let upload = file.urls["upload_url"] ?? file.urls["https_upload_url"]
        else { return nil }
        let hosts = [small, large, upload].map { WebURL($0)?.hostPort.description.lowercased() }
        guard let host = hosts[0], hosts.allSatisfy({ $0 == host }) else { return nil }
        self.init(small: small, large: large, upload: upload)
    }
}
