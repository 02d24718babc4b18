/// What curl got.
struct HTTPResponse: Sendable {
    var status: Int
    /// By name in small letters.
    var headers: [String: String]
    var body: String

    /// One request; `prefix` enters the network of the server.
    static func of(
        _ url: String,
        method: String = "GET",
        headers: [String] = [],
        body: String? = nil,
        prefix: [String] = [],
        within seconds: Int = 10
    ) async throws -> HTTPResponse {
        let fields = headers.flatMap { ["-H", $0] }
        let data = body.map { ["--data-binary", $0] } ?? []
        let curl = ["curl", "-sS", "-i", "--globoff", "--noproxy", "*", "--max-time", "\(seconds)", "-X", method]
        let command = prefix + curl + fields + data + [url]
        return try HTTPResponse(await output(of: command, within: .seconds(seconds + 10)))
    }

    private init(_ text: String) throws {
        guard let end = text.firstRange(of: "\r\n\r\n") else { throw Failure(description: "no HTTP answer: \(text)") }
        var lines = text[..<end.lowerBound].split(separator: "\r\n")
        guard let status = lines.removeFirst().split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(description: "no HTTP status: \(text)")
        }
        self.status = status
        headers = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        body = String(text[end.upperBound...])
    }

    /// The samples of a scrape: name with labels, and value.
    var samples: [String: String] {
        var samples: [String: String] = [:]
        for line in body.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            samples[String(line[..<space])] = String(line[line.index(after: space)...])
        }
        return samples
    }
}
