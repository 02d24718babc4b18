import Glibc

/// An nginx that answers a constant: how late a fast server is on this machine at the moment.
final class ConstantServer {
    let address: String
    private let program: Program
    private let folder: TemporaryFolder

    /// `address`: an IPv4 address and a port.
    init(_ address: String, in namespace: Namespace? = nil) async throws {
        let prefix = namespace?.prefix ?? []
        self.address = address
        let folder = try TemporaryFolder()
        self.folder = folder
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
        let configuration = try folder.write(
            "nginx.conf",
            """
            daemon off; user root; worker_processes 1; pid \(folder.path)/nginx.pid;
            error_log \(folder.path)/error.log;
            events {}
            http {
                \(temporary)
                access_log off;
                server { listen \(address); location / { return 200 "constant\\n"; } }
            }

            """
        )
        let command = ["nginx", "-p", folder.path, "-e", "\(folder.path)/error.log", "-c", configuration]
        program = try Program(prefix + command)
        let program = program
        try await poll("nginx") {
            guard program.isRunning else { throw Failure(description: "nginx has ended: \(program.errors)") }
            return try? await HTTPResponse.of("http://\(address)/", prefix: prefix)
        }
    }

    func stop() async throws {
        program.signal(SIGQUIT)
        _ = try await program.status()
    }
}
