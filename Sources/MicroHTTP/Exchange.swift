import CMicroHTTPD
import Glibc
import Locking
import Posix

/// One request and its answer, from the request line on; retained by libmicrohttpd's per-request pointer.
// Sendable by proof: the variables are touched on the event thread only.
final class Exchange: Sendable {
    private enum Step {
        case headers
        case body
        case waiting
        case answered
        /// Answered past libmicrohttpd, in the middle of the body.
        case cut
    }

    /// Bytes of a refused body that are still read, so that the client can read the answer.
    private static let drainLimit = 1_048_576
    /// How long a connection stays open after an answer in the middle of the body: closed at once, with bytes unread, it
    /// would be reset and the answer lost.
    private static let cutGrace: Duration = .seconds(1)

    private let core: ServerCore
    private let connection: Connection
    private let handle: ConnectionHandle
    private let target: RawTarget
    nonisolated(unsafe) private var step = Step.headers
    /// The route that answers the complete request, unless it is refused.
    nonisolated(unsafe) private var route: Route?
    /// The refusal that answers it instead.
    nonisolated(unsafe) private var refusal: Response?
    nonisolated(unsafe) private var request = Request()
    nonisolated(unsafe) private var received = 0
    /// Bytes of a cut body that arrived after the answer, and who counts them.
    nonisolated(unsafe) private var discarded = 0
    nonisolated(unsafe) private var discard: ((Int) -> Void)?
    /// Takes the body in place of `request`; nil after its end.
    nonisolated(unsafe) private var sink: (any BodySink)?
    nonisolated(unsafe) private var repeatedBody: RepeatedBody?
    nonisolated(unsafe) private var serve: (@Sendable (Int32, [UInt8]) -> Void)?
    nonisolated(unsafe) private var suspension: Suspension?
    /// The response of a waiting handler, for the event thread.
    nonisolated(unsafe) private var result: Locked<Response?>?

    init(core: ServerCore, connection: Connection, handle: ConnectionHandle, target: RawTarget) {
        self.core = core
        self.connection = connection
        self.handle = handle
        self.target = target
    }

    /// Takes the next step; false closes the connection.
    func advance(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, upload: UnsafeRawBufferPointer) -> Bool {
        switch step {
        case .headers: return begin(method, version)
        case .body: return upload.isEmpty ? finish() : receive(upload)
        case .waiting: return wakeUp()
        case .answered: return true
        case .cut:
            discarded += upload.count
            return stopReading()
        }
    }

    /// The request was answered, or cut off.
    func end(isComplete: Bool) {
        abortSink()
        if step == .cut { discard?(discarded + connection.unreadBytes) }
        repeatedBody?.end(isComplete: isComplete)
        connection.enter(.nextHeaders, now: .now)
    }

    // MARK: Steps

    private func begin(_ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>) -> Bool {
        request.method = Method(rawValue: String(cString: method))
        request.target = String(decoding: target.bytes, as: UTF8.self)
        request.path = request.target
        request.peer = connection.peer
        let head = HeaderBlock(of: handle.pointer, method: method, target: target, version: version)
        request.headers = head.headers
        let framing: RequestRules.Framing
        do throws(RequestError) {
            guard head.size <= core.configuration.headerLimit else {
                throw RequestError(status: 431, message: "the request's headers are too large")
            }
            guard head.isWhole else {
                throw .badRequest("the request has a NUL, a continued header line or a header without a name")
            }
            framing = try RequestRules.framing(of: request.headers, isHTTP10: strcmp(version, "HTTP/1.0") == 0)
        } catch {
            // The end of its body is ambiguous: answered before it is read, after which libmicrohttpd closes.
            return refuseUnread(answer(to: error))
        }
        decide()
        step = .body
        guard framing != .none else { return true }
        if refusal == nil, sink == nil, framing.isLonger(than: limit) { refusal = answer(to: tooLarge) }
        if let refusal, isBetterUnread(framing) { return refuseUnread(refusal) }
        if let refusal, case .sink = route?.handler {
            cut(with: refusal)
            return true
        }
        connection.enter(sink.map { .receiving($0.deadline) } ?? .body, now: .now)
        return true
    }

    private func decide() {
        do throws(RequestError) {
            let target = try RequestTarget(decoding: target.bytes)
            request.path = target.path
            request.query = target.query
            guard Method.known.contains(request.method) else {
                throw RequestError(status: 501, message: "the method \(request.method) is not known")
            }
            switch core.routes.find(request) {
            case .found(let route):
                self.route = route
                if case .sink(let admit) = route.handler { take(admit(request)) }
            case .notFound: throw RequestError(status: 404, message: "not found")
            case .notAllowed(let methods):
                let message = "the method \(request.method) is not allowed here"
                var response = answer(to: RequestError(status: 405, message: message))
                response.headers["Allow"] = methods.map(\.rawValue).joined(separator: ", ")
                refusal = response
            }
        } catch {
            refusal = answer(to: error)
        }
    }

    private func take(_ admission: Route.Admission) {
        switch admission {
        case .accept(let sink): self.sink = sink
        case .refuse(let response, let discard): (refusal, self.discard) = (response, discard)
        }
    }

    private func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        if let sink {
            guard let response = sink.receive(piece.bytes) else { return true }
            discard = sink.discard
            cut(with: response)
            return stopReading()
        }
        received += piece.count
        if refusal == nil {
            if received <= limit {
                request.body.append(contentsOf: piece)
                return true
            }
            request.body = []
            refusal = answer(to: tooLarge)
        }
        if received > limit + Self.drainLimit, let refusal {
            cut(with: refusal)
            return stopReading()
        }
        return true
    }

    private func finish() -> Bool {
        connection.enter(.answering, now: .now)
        if let refusal { return send(refusal) }
        if let sink {
            self.sink = nil
            return send(sink.finish())
        }
        switch route?.handler {
        case nil, .sink: return false
        case .immediate(let handler): return send(handler(request))
        case .waiting(let handler): return wait(handler)
        }
    }

    private func wait(_ handler: @escaping @Sendable (Request) async -> Response) -> Bool {
        step = .waiting
        let suspension = makeSuspension()
        guard suspension.suspend(handle) else { return false }
        let result = Locked<Response?>(nil)
        self.result = result
        let task = core.tasks.start { [request] in
            let response = await handler(request)
            result.withLock { $0 = response }
            suspension.resume()
        }
        suspension.own(task)
        return true
    }

    private func wakeUp() -> Bool {
        guard let suspension, !suspension.isAborted else { return false }
        let response = result?.withLock { result in
            defer { result = nil }
            return result
        }
        guard let response else { return suspension.suspend(handle) || !suspension.isAborted }
        return send(response)
    }

    // MARK: Answering

    /// Answers in the middle of the body, which libmicrohttpd cannot.
    private func cut(with response: Response) {
        step = .cut
        abortSink()
        core.configuration.onResponse(route?.name, response.status)
        connection.refuse(with: core.message(response), grace: Self.cutGrace, now: .now)
    }

    /// Reads nothing more, so that the client cannot go on sending; false closes the connection.
    private func stopReading() -> Bool {
        // Resumed: the client has closed its side, or has had its time.
        guard suspension == nil else { return false }
        return makeSuspension().suspend(handle)
    }

    private func abortSink() {
        sink?.abort()
        sink = nil
    }

    /// Takes the upgraded socket, which a thread serves from here on.
    func takeOver(_ socket: TakenSocket, received: [UInt8]) {
        connection.enter(.upgraded, now: .now)
        guard let serve else { return socket.close() }
        core.upgrades.begin(socket) { serve($0, received) }
    }

    private func refuseUnread(_ response: Response) -> Bool {
        connection.enter(.answering, now: .now)
        return send(response)
    }

    private func send(_ response: Response) -> Bool {
        step = .answered
        if case .upgrade = response.body, let refusal = core.refusalOfUpgrade(request) { return send(refusal) }
        var outgoing = OutgoingResponse(response, to: request, core)
        if case .bytes = outgoing.body { connection.enter(.sending(core.configuration.answerDeadline), now: .now) }
        let pointer: OpaquePointer? =
            switch outgoing.body {
            case .bytes(let bytes): OutgoingResponse.create(bytes)
            case .stream(let produce) where request.method != .head: OutgoingResponse.create(makeStream(produce))
            case .stream: OutgoingResponse.createHeadOfStream()
            case .repeating(let bytes): makeRepeated(bytes)
            case .upgrade(let serve): makeUpgrade(serve)
            }
        guard let pointer else { return false }
        defer { MHD_destroy_response(pointer) }
        outgoing.applyCongestionControl(of: response, to: connection)
        for field in outgoing.headers.fields { MHD_add_response_header(pointer, field.name, field.value) }
        core.configuration.onResponse(route?.name, outgoing.status)
        return MHD_queue_response(handle.pointer, UInt32(clamping: outgoing.status), pointer) == .YES
    }

    private func makeStream(_ produce: @escaping @Sendable (StreamWriter) async throws -> Void) -> ResponseStream {
        ResponseStream(
            produce,
            tasks: core.tasks,
            handle: handle,
            suspension: makeSuspension(),
            capacity: core.configuration.streamBuffer
        )
    }

    private func makeRepeated(_ bytes: RepeatedBytes) -> OpaquePointer? {
        let body = RepeatedBody(bytes)
        repeatedBody = body
        if let deadline = bytes.deadline { connection.enter(.sending(deadline), now: .now) }
        return OutgoingResponse.create(body)
    }

    private func makeUpgrade(_ serve: @escaping @Sendable (Int32, [UInt8]) -> Void) -> OpaquePointer? {
        self.serve = serve
        return OutgoingResponse.createUpgrade()
    }

    /// A suspension that a stop ends, whether the stop comes before or after.
    private func makeSuspension() -> Suspension {
        let suspension = Suspension()
        self.suspension = suspension
        connection.own(suspension)
        if core.connections.isStopping { suspension.abort() }
        return suspension
    }

    private var limit: Int { route?.bodyLimit ?? 0 }

    private var tooLarge: RequestError { RequestError(status: 413, message: "the body is larger than \(limit) bytes") }

    private func answer(to error: RequestError) -> Response {
        core.configuration.errorResponse(request.path, error.status, error.message)
    }

    /// Whether to refuse before the body has arrived, which closes the connection.
    private func isBetterUnread(_ framing: RequestRules.Framing) -> Bool {
        if case .sink = route?.handler, request.headers["Expect"] == nil { return false }
        return request.headers["Expect"] != nil || framing.isLonger(than: Self.drainLimit)
    }
}
