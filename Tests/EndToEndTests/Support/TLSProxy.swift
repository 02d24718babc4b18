import Glibc

/// A real nginx that serves HTTPS on an address, before a program on a loopback port of the same namespace.
final class TLSProxy {
    private let program: Program
    private let folder: TemporaryFolder

    init(_ address: String, to port: Int, _ pair: Certificates.Pair, in namespace: Namespace) async throws {
        folder = try TemporaryFolder()
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
                access_log off;
                server {
                    listen \(address) ssl;
                    ssl_certificate \(pair.certificate);
                    ssl_certificate_key \(pair.key);
                    location / { proxy_pass http://127.0.0.1:\(port); }
                }
            }

            """
        )
        program = try Program(namespace.prefix + ["nginx", "-p", path, "-e", "\(path)/error.log", "-c", configuration])
        let program = program
        try await poll("nginx") {
            guard program.isRunning else { throw Failure(description: "nginx has ended: \(program.errors)") }
            // Of HTTP it says that it wants HTTPS.
            return try? await HTTPResponse.of("http://\(address)/", prefix: namespace.prefix)
        }
    }

    func stop() async throws {
        program.signal(SIGTERM)
        _ = try await program.status()
    }
}
