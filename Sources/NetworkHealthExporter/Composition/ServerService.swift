import MicroHTTP
import ServiceLifecycle

/// Runs the web server until it is told to stop.
struct ServerService: Service {
    let server: Server

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await server.run()
        } onGracefulShutdown: {
            server.stop()
        }
    }
}
