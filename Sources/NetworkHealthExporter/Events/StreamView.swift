import MicroHTTP
import Posix

/// `/api/v1/stream`: the events as they occur, over one connection (Server-Sent Events).
struct StreamView: Sendable {
    /// Between two signs of life, without which a reader takes the exporter for gone.
    private static let heartbeat = Duration.seconds(5)

    /// nginx would keep small events back until its buffer is full.
    private static let headers: Headers = ["Content-Type": "text/event-stream", "X-Accel-Buffering": "no"]

    let log: EventLog
    /// Called for each reader that is refused.
    var onRefusal: @Sendable () -> Void = {}

    @Sendable func answer(_ request: Request) -> Response {
        // Nothing is produced for it: as the answer to GET, its head has no length (RFC 9110, section 8.6).
        guard request.method != .head else { return Response(headers: Self.headers, body: .stream { _ in }) }
        guard let reader = log.follow(after: request.headers["Last-Event-ID"], peer: IPAddress(request.peer)) else {
            onRefusal()
            var refusal = Response.error(
                "as many readers are connected already as one server or one address may have",
                status: 503
            )
            refusal.headers["Retry-After"] = "5"
            return refusal
        }
        return Response(
            headers: Self.headers,
            body: .stream { writer in await Self.write(reader, to: writer) }
        )
    }

    /// Writes until the client disconnects or falls behind.
    private static func write(_ reader: EventLog.Reader, to writer: StreamWriter) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await event in reader.events {
                    guard (try? await writer.write(event.bytes)) != nil else { return }
                }
            }
            group.addTask { for await _ in reader.overflow {} }
            group.addTask {
                // The pace of the heartbeats, by which a client notices that the connection is dead.
                while (try? await Task.sleep(for: heartbeat)) != nil {
                    guard (try? await writer.write(ServerSentEvent.heartbeat)) != nil else { return }
                }
            }
            await group.next()
            group.cancelAll()
        }
    }
}
