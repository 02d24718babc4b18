import Glibc
import Lab

/// A real nginx before the exporter, which replaces `Accept` where it is told to, and notes what passed.
final class ReverseProxy {
    let port: UInt16
    let program: Program
    private let folder: TemporaryFolder

    init(to target: String, accept: String?) async throws {
        folder = try TemporaryFolder()
        port = try Loopback.closedPort()
        let path = folder.path
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(path)/\($0);" }.joined(separator: "\n    ")
        let configuration = try folder.write(
            "nginx.conf",
            """
            daemon off;
            user root;
            worker_processes 1;
            pid \(path)/nginx.pid;
            error_log \(path)/error.log;
            events {}
            http {
                \(temporary)
                log_format what '$status|$http_accept|$upstream_http_content_type|$upstream_http_content_encoding';
                access_log \(path)/access.log what;
                server {
                    listen 127.0.0.1:\(port);
                    location / {
                        \(accept.map { "proxy_set_header Accept \"\($0)\";" } ?? "")
                        proxy_pass http://\(target);
                    }
                }
            }

            """
        )
        program = try Program(["nginx", "-p", path, "-e", "\(path)/error.log", "-c", configuration])
        let (program, port) = (program, port)
        try await poll("nginx") {
            guard program.isRunning else { throw Failure(description: "nginx has ended: \(program.errors)") }
            return try? await HTTPResponse.of("http://127.0.0.1:\(port)/-/healthy")
        }
    }

    /// For each request to `/metrics`: status, the client's Accept, the exporter's Content-Type and Content-Encoding.
    func passed() async throws -> [[String]] {
        try await output(of: ["cat", "\(folder.path)/access.log"]).split(separator: "\n")
            .map { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }
            .filter { $0.count == 4 && $0[1].contains("openmetrics") }
    }

    func stop() async throws -> Int32 {
        program.signal(SIGTERM)
        return try await program.status()
    }
}
