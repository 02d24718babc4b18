import CMicroHTTPD
import Coordination
import Glibc
import Posix

/// One request and its answer, from the request line on; retained by libmicrohttpd's per-request pointer.
// Sendable by proof: the variables are touched on the event thread only.
final class Exchange: Sendable {
    enum Step {
        case headers
        /// The password waits for its check.
        case authorizing(RequestRules.Framing, Locked<Bool?>)
        case body
        case waiting
        case answered
        /// Answered past libmicrohttpd, in the middle of the body.
        case cut
        /// The session of TLS was given away, and has been given back.
        case upgraded
    }

    /// How long a connection stays open after an answer in the middle of the body: closed at once, with bytes unread, it
    /// would be reset and the answer lost.
    static let cutGrace: Duration = .seconds(1)

    let core: ServerCore
    let connection: Connection
    let handle: ConnectionHandle
    private let target: RawTarget
    nonisolated(unsafe) var step = Step.headers
    /// The route that answers the complete request, unless it is refused.
    nonisolated(unsafe) var route: Route?
    /// Fields of the access policy, for the answer.
    nonisolated(unsafe) var policyHeaders: Headers = [:]
    /// The refusal that answers it instead.
    nonisolated(unsafe) var refusal: Response?
    nonisolated(unsafe) var request = Request()
    /// Bytes of a refused body that were read, and not kept.
    nonisolated(unsafe) var drained = 0
    /// Bytes of a cut body that arrived after the answer, and who counts them.
    nonisolated(unsafe) private var discarded = 0
    nonisolated(unsafe) var discard: ((Int) -> Void)?
    /// Takes the body in place of `request`; nil after its end.
    nonisolated(unsafe) var sink: (any BodySink)?
    nonisolated(unsafe) var repeatedBody: RepeatedBody?
    nonisolated(unsafe) var serve: (@Sendable (UpgradedSocket, [UInt8]) -> Void)?
    nonisolated(unsafe) private(set) var isHTTP10 = false
    /// Whether the connection ends with its answer, as what follows may still be a part of it.
    nonisolated(unsafe) private(set) var isLast = false
    /// Whether a place among the upgraded connections is kept for it.
    nonisolated(unsafe) var hasUpgradePlace = false
    nonisolated(unsafe) var suspension: Suspension?
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
        case .authorizing(let framing, let verdict): return upload.isEmpty && resume(framing, verdict)
        case .body: return upload.isEmpty ? finish() : receive(upload)
        case .waiting: return wakeUp()
        case .answered: return true
        case .upgraded: return false
        case .cut:
            discarded += upload.count
            return stopReading()
        }
    }

    /// The request was answered, or cut off.
    func end(isComplete: Bool) {
        abortSink()
        releaseUpgradePlace()
        // A connection that ended between its resumption and the next call has a handler that still waits.
        suspension?.cancelTask()
        if case .cut = step { discard?(discarded + connection.unreadBytes) }
        repeatedBody?.end(isComplete: isComplete)
        core.connections.endHold(connection)
        connection.enter(.nextHeaders, now: .now)
    }

    // MARK: Steps

    private func begin(_ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>) -> Bool {
        request.method = Method(rawValue: String(cString: method))
        request.target = String(decoding: target.bytes, as: UTF8.self)
        request.path = request.target
        request.peer = connection.peer
        request.isTLS = connection.isTLS
        isHTTP10 = strcmp(version, "HTTP/1.0") == 0
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
            framing = try RequestRules.framing(of: request.headers, isHTTP10: isHTTP10)
            // Only then: to libmicrohttpd 0.9.75 `chunked` with a space behind it is another coding.
            request.headers.trimEnds()
        } catch {
            // The end of its body is ambiguous: answered before it is read, after which libmicrohttpd closes.
            return refuseUnread(answer(to: error))
        }
        if let policy = core.configuration.access?(), let authenticator = core.authenticator {
            return authorize(framing, policy, authenticator)
        }
        return proceed(framing)
    }

    /// Finds the route, and refuses what is better refused before the body has arrived.
    func proceed(_ framing: RequestRules.Framing) -> Bool {
        if refusal == nil { decide() }
        step = .body
        guard framing != .none else { return true }
        if refusal == nil, sink == nil, framing.isLonger(than: limit) { refusal = answer(to: tooLarge) }
        if let refusal, request.headers["Expect"] != nil { return refuseUnread(refusal) }
        if let refusal, isBetterCut(framing) {
            cut(with: refusal)
            return true
        }
        if refusal == nil, sink == nil { expectBody(framing) }
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
                if let response = route.refusal?(request) {
                    refusal = response
                } else if case .sink(let admit) = route.handler {
                    take(admit(request))
                }
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

    private func finish() -> Bool {
        connection.enter(.answering, now: .now)
        isLast = HeaderBlock.mayEndEarly(request.headers, of: handle.pointer)
        if let refusal { return send(refusal) }
        if let sink {
            self.sink = nil
            return send(sink.finish())
        }
        switch route?.handler {
        case nil, .sink: return false
        case .immediate(let handler): return send(handler(request))
        case .waiting(let handler): return wait(handler)
        case .longPoll(let handler, _):
            connection.enter(.held, now: .now)
            return wait(handler)
        }
    }

    private func wait(_ handler: @escaping @Sendable (Request) async -> Response) -> Bool {
        step = .waiting
        let suspension = Suspension()
        adopt(suspension)
        if case .longPoll = route?.handler { core.connections.hold(connection) }
        // Not if it ends already.
        guard suspension.suspend(handle) else { return wakeUp() }
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
        if connection.isReleased, case .longPoll(_, let present) = route?.handler {
            suspension.cancelTask()
            return send(present(request).last)
        }
        let response = result?.withLock { result in
            defer { result = nil }
            return result
        }
        guard let response else { return suspension.suspend(handle) || !suspension.isAborted }
        return send(response)
    }
}
