import FoundationEssentials
import HTTPTransfer

extension SpeedTestFailure {
    /// What a transfer that brought no answer means for a test.
    init(_ error: TransferError) {
        let reason: Reason =
            switch error.reason {
            case .resolve, .refused, .unreachable, .local, .tls, .forbidden, .invalidRequest: .unreachable
            case .timeout: .timeout
            case .protocolViolation: error.cut.map { $0 == .short ? .short : .reset } ?? .status
            case .aborted: .reset
            case .cancelled, .stopped: .cancelled
            }
        self.init(reason, error.message)
    }

    /// What a status other than success means; nil for a success.
    init?(refusal response: SpeedTestResponse, of request: SpeedTestRequest) {
        guard !response.isSuccess else { return nil }
        self.init(
            response.status == 401 || response.status == 407 ? .auth : .status,
            "\(request.url) answered with status \(response.status)" + (response.sentence.map { ": \($0)" } ?? ""),
            retryAfter: response.isBusy ? response.headers["retry-after"].flatMap { Self.delay($0, from: Date()) } : nil
        )
    }

    /// `Retry-After`: seconds, or a date (RFC 9110 section 10.2.3); nil for anything else.
    static func delay(_ text: String, from now: Date) -> Duration? {
        if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
        // Sun, 06 Nov 1994 08:49:37 GMT
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])),
            let date = try? Date(
                "\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z",
                strategy: .iso8601
            )
        else { return nil }
        return .seconds(max(0, min(date.timeIntervalSince(now), Double(UInt32.max))))
    }
}

extension SpeedTestResponse {
    /// The server wants to be left alone for a while.
    var isBusy: Bool { status == 429 || status == 503 }

    /// What the server itself says, in one line of at most 200 characters; nil where it says nothing for people.
    ///
    /// That is the `error` of a JSON object, or a body of plain text. It may hold anything: what a terminal would take for a
    /// command is left out.
    var sentence: String? {
        struct Refusal: Decodable { var error: String }
        let text: String
        switch headers["content-type"]?.split(separator: ";").first.map({ $0.lowercased() }) {
        case "application/json":
            guard let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(body)) else { return nil }
            text = refusal.error
        case "text/plain": text = String(decoding: body, as: UTF8.self)
        default: return nil
        }
        let scalars = text.unicodeScalars.prefix(1000).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: " "
            default: scalar
            }
        }
        var line = ""
        line.unicodeScalars.append(contentsOf: scalars)
        let words = line.split(separator: " ").joined(separator: " ")
        return words.isEmpty ? nil : String(words.prefix(200))
    }
}
