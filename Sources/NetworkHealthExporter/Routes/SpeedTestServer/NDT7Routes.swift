import MicroHTTP
import SpeedTestCore

/// M-Lab's ndt7: a WebSocket a direction, also at the web root.
enum NDT7Routes {
    static func rows(_ answers: SpeedTestAnswers) -> [SpeedTestRow] {
        Direction.allCases.map { direction in
            .get("/ndt/v7/\(direction.rawValue)", atRoot: true) { request in
                do throws(ServerRefusal) {
                    try answers.check(request)
                    let transfer = try answers.server.begin(peer: request.peer)
                    return answer(request, direction, transfer)
                } catch {
                    return answers.refuse(error, request)
                }
            }
        }
    }

    /// The single place where ndt7's server is to be called.
    ///
    /// With its handshake's headers: `.upgrade(headers: …) { socket, received in … }`, which blocks a thread of its own.
    /// It counts with `transfer.receive` and `transfer.transmit`, ends where one of them refuses, and calls
    /// `transfer.end()` when it is done.
    private static func answer(_ request: Request, _ direction: Direction, _ transfer: ServerTransfer) -> Response {
        transfer.end()
        return .text("ndt7 is not served yet\n", status: 501)
    }
}
