import CMicroHTTPD

// How an exchange answers.
extension Exchange {
    /// Answers in the middle of the body, which libmicrohttpd cannot.
    func cut(with response: Response) {
        step = .cut
        abortSink()
        core.configuration.onResponse(route?.name, response.status)
        let message = core.message(completed(response), isHead: request.method == .head)
        connection.refuse(with: message, grace: Self.cutGrace, now: .now)
    }

    /// Reads nothing more, so that the client cannot go on sending; false closes the connection.
    func stopReading() -> Bool {
        // Resumed: the client has closed its side, or has had its time.
        guard suspension == nil else { return false }
        return makeSuspension().suspend(handle)
    }

    func abortSink() {
        sink?.abort()
        sink = nil
    }

    func refuseUnread(_ response: Response) -> Bool {
        connection.enter(.answering, now: .now)
        return send(response)
    }

    func send(_ response: Response) -> Bool {
        step = .answered
        if case .upgrade = response.body, let refusal = refusalOfUpgrade() { return send(refusal) }
        let response = completed(response)
        var outgoing = OutgoingResponse(response, to: request, core)
        if case .upgrade(let serve) = outgoing.body, let session = connection.tls {
            return upgrade(session, outgoing.headers, serve)
        }
        if outgoing.body.size != nil { connection.enter(.sending(core.configuration.answerDeadline), now: .now) }
        let pointer: OpaquePointer? =
            switch outgoing.body {
            case .bytes(let bytes): OutgoingResponse.create(bytes)
            case .parts(let parts): OutgoingResponse.create(parts)
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

    func makeStream(_ produce: @escaping @Sendable (StreamWriter) async throws -> Void) -> ResponseStream {
        ResponseStream(
            produce,
            tasks: core.tasks,
            handle: handle,
            suspension: makeSuspension(),
            capacity: core.configuration.streamBuffer
        )
    }

    func makeRepeated(_ bytes: RepeatedBytes) -> OpaquePointer? {
        let body = RepeatedBody(bytes)
        repeatedBody = body
        if let deadline = bytes.deadline { connection.enter(.sending(deadline), now: .now) }
        return OutgoingResponse.create(body)
    }

    func makeUpgrade(_ serve: @escaping @Sendable (UpgradedSocket, [UInt8]) -> Void) -> OpaquePointer? {
        self.serve = serve
        return OutgoingResponse.createUpgrade()
    }

    private func makeSuspension() -> Suspension {
        let suspension = Suspension()
        adopt(suspension)
        return suspension
    }

    /// Makes it the one that a stop ends, whether the stop comes before or after.
    func adopt(_ suspension: Suspension) {
        self.suspension = suspension
        connection.own(suspension)
        if core.connections.isStopping { suspension.abort() }
    }

    func answer(to error: RequestError) -> Response {
        core.configuration.answer(to: error, path: request.path)
    }

    /// With the fields of the access policy, and as the last one of its connection where it must be.
    private func completed(_ response: Response) -> Response {
        if policyHeaders.fields.isEmpty, !isLast { return response }
        var response = isLast ? response.last : response
        for field in policyHeaders.fields where response.headers[field.name] == nil {
            response.headers.add(field.name, field.value)
        }
        return response
    }
}
