import Coordination

// Whether the client of an exchange is answered.
extension Exchange {
    /// Judges the client by the policy of this moment.
    func authorize(
        _ framing: RequestRules.Framing,
        _ policy: Server.AccessPolicy,
        _ authenticator: Authenticator
    ) -> Bool {
        policyHeaders = policy.headers
        if policy.isBroken {
            refusal = answer(to: RequestError(status: 500, message: "the web configuration cannot be read"))
            return proceed(framing)
        }
        if policy.users.isEmpty { return proceed(framing) }
        let verdict = Locked<Bool?>(nil)
        let suspension = Suspension()
        let login = Authenticator.Login(
            isWanted: { [connection] in !suspension.isAborted && !connection.isReleased },
            then: { isAccepted in
                verdict.withLock { $0 = isAccepted }
                suspension.resume()
            }
        )
        switch authenticator.judge(request.headers["Authorization"], of: connection.network, policy.users, login) {
        case .allowed: break
        case .refused: refusal = unauthorized
        case .busy: refusal = busy
        case .pending:
            step = .authorizing(framing, verdict)
            connection.enter(.held, now: .now)
            adopt(suspension)
            core.connections.hold(connection)
            // The verdict may be there already.
            return suspension.suspend(handle) || resume(framing, verdict)
        }
        return proceed(framing)
    }

    /// After the verdict: libmicrohttpd shows the headers once more, before the body.
    func resume(_ framing: RequestRules.Framing, _ verdict: Locked<Bool?>) -> Bool {
        guard suspension?.isAborted == false else { return false }
        suspension = nil
        core.connections.endHold(connection)
        if connection.isReleased { return refuseUnread(busy.last) }
        // Without one the server stops.
        guard let isAccepted = verdict.withLock({ $0 }) else { return false }
        connection.enter(.answering, now: .now)
        if !isAccepted { refusal = unauthorized }
        return proceed(framing)
    }

    private var unauthorized: Response {
        var response = answer(to: RequestError(status: 401, message: "expected a user's name and password"))
        response.headers["WWW-Authenticate"] = #"Basic realm="exporter", charset="UTF-8""#
        return response
    }

    private var busy: Response { answer(to: .overloaded("too many logins", retryAfter: 1)) }
}

extension Response {
    /// The last one of its connection.
    var last: Response {
        var response = self
        response.headers["Connection"] = "close"
        return response
    }
}
