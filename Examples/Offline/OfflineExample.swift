import Foundation
import NetworkHealth
import Networking
import OfflineQueue

/// Makes a request through each of three libraries in one process: `NetworkHealth`, `Networking` and `OfflineQueue`.
///
///     swift run --package-path Examples offline-example http://192.0.2.1:10319 /var/tmp/queue.db
///
/// The server is an exporter with a speed-test server, which accepts uploads. With an https URL, `Networking` uses the libcurl of
/// FoundationNetworking, with OpenSSL's TLS, and the other two use the system's libcurl, with GnuTLS.
@main enum OfflineExample {
    static func main() async {
        guard CommandLine.arguments.count == 3, let server = URL(string: CommandLine.arguments[1]) else {
            print("usage: offline-example URL FILE, such as http://192.0.2.1:10319 /var/tmp/queue.db")
            exit(2)
        }
        do {
            try await run(server, file: CommandLine.arguments[2])
            print("everything went as expected")
        } catch {
            print("unexpected: \(error)")
            exit(1)
        }
    }

    private static func run(_ server: URL, file: String) async throws {
        let isReachable = await ConnectivityService.shared.isHostReachable(server.absoluteString)
        print("NetworkHealth: \(isReachable ? "reachable" : "not reachable")")

        struct Snapshot: Decodable { var quality: String }
        let client = HTTPClient(baseURL: server)
        let snapshot: Snapshot = try await client.request(Endpoint(path: "/api/v1/snapshot"))
        print("Networking: the server's network is \(snapshot.quality)")

        let queue = RequestQueue(path: file, online: NetworkMonitor.shared.connectivity)
        let deliveries = queue.deliveries
        let pong = try await client.fetchWithOfflineSupport(
            Endpoint(path: "/speedtest/ping"),
            requestType: "ping",
            queue: queue
        )
        print("Networking: fetched \(pong.count) bytes")
        let delivering = Task { await queue.run() }
        // No server listens on this port: the request is kept, and another one takes its place.
        let nowhere = HTTPClient(baseURL: URL(string: "http://127.0.0.1:1/") ?? server)
        do {
            _ = try await nowhere.fetchWithOfflineSupport(Endpoint(path: "/x"), requestType: "lost", queue: queue)
        } catch OfflineError.queued(let id) {
            print("OfflineQueue: queued")
            try await queue.cancelRequest(id: id)
        }
        try await queue.cacheRequest(
            endpoint: server.appending(path: "speedtest/upload").absoluteString,
            method: "POST",
            body: Data("an event".utf8),
            requestType: "event"
        )
        for await delivery in deliveries {
            print("OfflineQueue: \(delivery.request.requestType) delivered: \(delivery.response.statusCode)")
            break
        }
        delivering.cancel()
        await delivering.value
        await queue.close()
    }
}
