import FoundationEssentials
import MicroHTTP
import SpeedTestCore
import StrictYAML

/// Pages, downloads and uploads of all dialects of the embedded speed-test server, within its limits.
struct SpeedTestAnswers: Sendable {
    let server: EmbeddedServer

    /// After the time limit of a transfer, until a client that does not read is cut.
    private static let grace: Duration = .seconds(1)

    /// A short answer.
    func page(_ request: Request, _ answer: () -> Response) -> Response {
        do throws(ServerRefusal) {
            try check(request)
            return shared(answer(), with: request)
        } catch {
            return refuse(error, request)
        }
    }

    /// The requested bytes, within the limits; `HEAD` uses none.
    func download(_ request: Request, bytes: UInt64, headers: Headers = [:]) -> Response {
        do throws(ServerRefusal) {
            try check(request)
            var response = Response(headers: headers, body: .bytes([]))
            if response.headers["Content-Type"] == nil { response.headers["Content-Type"] = "application/octet-stream" }
            response.congestionControlField = "X-Congestion-Control"
            response.congestionControl = server.limits?.congestionControl
            if request.method == .head {
                let count = min(bytes, server.limits?.maxBytes ?? 0)
                response.body = .repeating(RepeatedBytes(NoiseBuffer.shared, count: count))
            } else if bytes > 0 {
                response.body = .repeating(try body(of: bytes, to: request))
            }
            return shared(response, with: request)
        } catch {
            return refuse(error, request)
        }
    }

    /// Receives a body, and answers after its end.
    func upload(_ request: Request, _ answer: @escaping (UploadedBody) -> Response) -> Route.Admission {
        let test = request.headers["X-Test-Id"]
        if let test, !TestCounters.isName(test) {
            return refusing(.text("X-Test-Id: expected 1 to 64 letters, digits, -, _ or .\n", status: 400))
        }
        do throws(ServerRefusal) {
            try check(request)
            // The web server has checked that it has only digits; a larger number exceeds every limit.
            let size = request.headers["Content-Length"].map { UInt64($0) ?? .max }
            let transfer = try server.begin(peer: request.peer, uploadSize: size, test: test)
            let limit = server.limits?.maxDuration ?? .zero
            return .accept(
                UploadSink(
                    transfer,
                    deadline: limit + Self.grace,
                    head: request.headers["Content-Type"].flatMap { MultipartHead(contentType: $0) },
                    refuse: { refuse($0, request) },
                    answer: { shared(answer($0), with: request) }
                )
            )
        } catch {
            return refusing(refuse(error, request))
        }
    }

    /// Refuses an upload; what arrives of it all the same is counted.
    private func refusing(_ response: Response) -> Route.Admission {
        .refuse(response) { [server] in server.discard($0) }
    }

    /// The answer to a browser's preflight request for another site's page.
    func preflight(_ request: Request) -> Response {
        page(request) {
            Response(
                status: 204,
                headers: [
                    "Access-Control-Allow-Methods": "GET, HEAD, POST",
                    "Access-Control-Allow-Headers": "Content-Encoding, Content-Type, X-Test-Id",
                    "Access-Control-Max-Age": "3600",
                ],
                body: .bytes([])
            )
        }
    }

    private func body(of bytes: UInt64, to request: Request) throws(ServerRefusal) -> RepeatedBytes {
        let transfer = try server.begin(peer: request.peer)
        let count = min(bytes, transfer.byteLimit)
        transfer.expect(count)
        let limit = server.limits?.maxDuration ?? .zero
        var body = RepeatedBytes(NoiseBuffer.shared, count: count, deadline: limit + Self.grace)
        body.onSend = { transfer.transmit($0) == nil }
        body.onEnd = { isComplete in transfer.end(isCut: !isComplete) }
        return body
    }

    /// Throws where the client may not use the server.
    func check(_ request: Request) throws(ServerRefusal) {
        // A page that hides its origin cannot be listed.
        try server.check(peer: request.peer, foreignOrigin: RequestOrigin.foreignPage(request))
    }

    /// Adds the headers with which an allowed page of another site can read the answer.
    private func shared(_ response: Response, with request: Request) -> Response {
        guard let origin = request.headers["Origin"], RequestOrigin.isForeign(request) else { return response }
        var response = response
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = "Server-Timing, X-Congestion-Control"
        response.headers["Timing-Allow-Origin"] = origin
        response.headers["Vary"] = "Accept, Origin"
        return response
    }

    /// The answer to a refusal.
    func refuse(_ refusal: ServerRefusal, _ request: Request) -> Response {
        var response = Response.text("\(refusal.message)\n", status: refusal.status)
        if let wait = refusal.retryAfter {
            response.headers["Retry-After"] = "\(max(1, wait.components.seconds))"
        }
        return refusal.reason == .crossSite ? response : shared(response, with: request)
    }
}

/// A received upload, whose bytes were discarded.
struct UploadedBody: Sendable, Equatable {
    var bytes: UInt64
    /// The file of a multipart body; nil for any other.
    var filename: String?
    /// The file's size, or that of the whole body.
    var size: UInt64
    /// From the last byte to the answer.
    var handling: Duration
}

/// Counts the bytes of an upload as they arrive.
final class UploadSink: BodySink {
    let deadline: Duration
    private let transfer: ServerTransfer
    private var head: MultipartHead?
    private var bytes: UInt64 = 0
    private let refuse: (ServerRefusal) -> Response
    private let answer: (UploadedBody) -> Response

    init(
        _ transfer: ServerTransfer,
        deadline: Duration,
        head: MultipartHead?,
        refuse: @escaping (ServerRefusal) -> Response,
        answer: @escaping (UploadedBody) -> Response
    ) {
        (self.transfer, self.deadline, self.head, self.refuse, self.answer) = (transfer, deadline, head, refuse, answer)
    }

    func receive(_ piece: RawSpan) -> Response? {
        bytes += UInt64(piece.byteCount)
        head?.take(piece)
        return transfer.receive(piece.byteCount).map(refuse)
    }

    func finish() -> Response {
        let came = ContinuousClock.now
        transfer.end()
        return answer(
            UploadedBody(
                bytes: bytes,
                filename: head?.filename,
                size: head?.fileSize(ofBody: bytes) ?? bytes,
                handling: came.duration(to: .now)
            )
        )
    }

    func abort() { transfer.end(isCut: true) }

    func discard(_ count: Int) { transfer.discard(count) }
}

extension Request {
    /// A size in the query, in bytes or with a unit (`64MB`), at most `UInt64.max`; nil: absent or invalid.
    func size(_ name: String) -> UInt64? {
        guard let text = queryValue(name), !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
            return ByteSizeText.parse(text).map { UInt64($0) }
        }
        return UInt64(text) ?? .max
    }

    /// The answer to an invalid size; nil for a valid or an absent one.
    func refusal(ofSize name: String) -> Response? {
        guard queryValue(name) != nil, size(name) == nil else { return nil }
        return .text("\(name): expected a number of bytes, or \(ByteSizeText.expectation)\n", status: 400)
    }
}
