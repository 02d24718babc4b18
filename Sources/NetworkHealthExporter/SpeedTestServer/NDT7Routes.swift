import MicroHTTP
import SpeedTestCore

/// M-Lab's ndt7: one WebSocket for each direction, also at the web root.
enum NDT7Routes {
    static func rows(_ answers: SpeedTestAnswers) -> [SpeedTestRow] {
        Direction.allCases.map { direction in
            .get("/ndt/v7/\(direction.rawValue)", atRoot: true) { request in
                // HEAD comes here too, and must not take a place.
                guard request.method == .get else {
                    var response = Response.text("a WebSocket begins with GET\n", status: 405)
                    response.headers["Allow"] = "GET"
                    return response
                }
                do throws(ServerRefusal) {
                    try answers.check(request)
                    let transfer = try answers.server.begin(peer: request.peer)
                    return answer(request, direction, transfer, answers.server.limits)
                } catch {
                    return answers.refuse(error, request)
                }
            }
        }
    }

    /// Upgrades the connection; the test blocks a separate thread until its end.
    private static func answer(
        _ request: Request,
        _ direction: Direction,
        _ transfer: ServerTransfer,
        _ server: ServerLimits?
    ) -> Response {
        let query = request.query.map { (name: $0.name, value: $0.value) }
        let fields = request.headers.fields.map { (name: $0.name, value: $0.value) }
        switch NDT7Server.upgrade(headers: fields, query: query) {
        case .failure(let refusal):
            transfer.end()
            var response = Response.text("\(refusal.message)\n", status: refusal.status)
            for field in refusal.headers { response.headers.add(field.name, field.value) }
            return response
        case .success(let answer):
            var headers = Headers()
            for field in answer where field.name != "Connection" { headers.add(field.name, field.value) }
            var limits = NDT7Limits()
            // Room for measurements and frames besides the load.
            limits.bytes = transfer.byteLimit - min(transfer.byteLimit / 2, 1 << 20)
            if let longest = server?.maxDuration {
                // The bytes on their way and the client's Close come after the load.
                limits.duration = min(limits.duration, max(longest - limits.grace, longest / 2))
            }
            limits.congestionControl = server?.congestionControl
            let applied = limits.applying(query: query, direction: direction)
            return .upgrade(headers: headers) { socket, received in
                defer { transfer.end() }
                NDT7Server.serve(
                    socket: socket.descriptor,
                    connection: socket.connection,
                    received: received,
                    direction: direction,
                    limits: applied
                ) { way, bytes in
                    (way == .download ? transfer.transmit(bytes) : transfer.receive(bytes)) == nil
                }
            }
        }
    }
}
