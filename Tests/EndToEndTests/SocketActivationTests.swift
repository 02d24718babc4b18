import Glibc
import Lab
import Testing

extension EndToEndTests {
    @Suite(.timeLimit(.minutes(1))) struct SocketActivation {
        /// Listens on a port, then becomes the command with the socket as descriptor 3, as systemd does.
        private static let python = """
            import os, socket, sys
            listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
            os.dup2(listener.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
            os.execv(sys.argv[2], sys.argv[2:])
            """

        private func activation(_ port: UInt16) -> [String] {
            Program.isInstalled("systemd-socket-activate")
                ? ["systemd-socket-activate", "-l", "127.0.0.1:\(port)"]
                : ["python3", "-c", Self.python, "\(port)"]
        }

        @Test func `serves the socket that systemd passes`() async throws {
            let port = try Loopback.closedPort()
            let folder = try TemporaryFolder()
            let file = try folder.write("config.yml", "internet: { enabled: false }\n")
            let arguments = ["--web.systemd-socket", "--config.file=\(file)"]
            let program = try Program(activation(port) + [Repository.executable] + arguments)
            let response = try await poll("an answer through the passed socket") {
                guard program.isRunning else { throw Failure(description: "it has ended: \(program.errors)") }
                return try? await HTTPResponse.of("http://127.0.0.1:\(port)/-/healthy")
            }
            #expect(response.status == 200 && response.body == "Healthy\n")
            #expect(program.errors.contains("msg=\"Listening on\" address=127.0.0.1:\(port)"))
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)
        }

        @Test func `the log names the path of a Unix socket that systemd passes`() async throws {
            let folder = try TemporaryFolder()
            let (path, file) = ("\(folder.path)/web.sock", try folder.write("config.yml", ExporterProcess.quiet))
            let python = Self.python.replacing(
                #"socket.create_server(("127.0.0.1", int(sys.argv[1])))"#,
                with: "socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen()"
            )
            let arguments = ["--web.systemd-socket", "--config.file=\(file)"]
            let program = try Program(["python3", "-c", python, path, Repository.executable] + arguments)
            let curl = ["curl", "-sS", "--unix-socket", path, "http://localhost/-/healthy"]
            try await poll("an answer through the passed socket") {
                guard program.isRunning else { throw Failure(description: "it has ended: \(program.errors)") }
                return try await run(curl).output == "Healthy\n" ? true : nil
            }
            #expect(program.errors.contains("msg=\"Listening on\" address=unix:\(path)\n"), "\(program.errors)")
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)
        }

        @Test func `without a passed socket it is an error that names the flag`() async throws {
            let outcome = try await run([Repository.executable, "--web.systemd-socket"])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("--web.systemd-socket: expected sockets from systemd"))
        }

        @Test func `a passed descriptor that does not listen is an error`() async throws {
            let become = """
                import os, sys
                os.dup2(os.open("/dev/null", os.O_RDONLY), 3)
                os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
                os.execv(sys.argv[1], sys.argv[1:])
                """
            let outcome = try await run(["python3", "-c", become, Repository.executable, "--web.systemd-socket"])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("cannot listen on descriptor 3: Socket operation on non-socket (errno 88)"))
        }
    }
}
