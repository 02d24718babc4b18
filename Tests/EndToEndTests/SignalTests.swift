import Foundation
import Glibc
import Lab
import Testing

extension EndToEndTests {
    /// Signals at every moment of a process's life, and readers that are gone.
    @Suite(.timeLimit(.minutes(2))) struct Signals {
        /// No network, so that nobody is asked, whatever the configuration.
        private static let program = ["unshare", "-n", Repository.executable]

        private let folder: TemporaryFolder
        private let serve: [String]

        init() throws {
            folder = try TemporaryFolder()
            let file = try folder.write("config.yml", "internet: { enabled: false }\n")
            serve = Self.program + ["--web.listen-address=127.0.0.1:0", "--config.file", file]
        }

        /// Whether the exporter has a handler for a signal, by the kernel's account; false before its exec(2).
        private func catches(_ signal: Int32, _ program: Program) throws -> Bool {
            let executable = URL(fileURLWithPath: Repository.executable).resolvingSymlinksInPath().path
            let process = "/proc/\(program.identifier)"
            guard try FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/exe") == executable,
                let status = try FileHandle(forReadingAtPath: "\(process)/status")?.readToEnd()
            else { return false }
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
            let mask = try #require(line.flatMap { UInt64($0.dropFirst("SigCgt:\t".count), radix: 16) })
            return mask & (1 << UInt64(signal - 1)) != 0
        }

        @Test(arguments: [SIGTERM, SIGINT]) func `serve ends with 0 as soon as it has a handler`(
            signal: Int32
        ) async throws {
            var early = 0
            for milliseconds in stride(from: 0, to: 150, by: 6) {
                let program = try Program(serve)
                // The moment is what is tested; nothing is waited for.
                try await Task.sleep(for: .milliseconds(milliseconds))
                let isCaught = try catches(signal, program)
                program.signal(signal)
                let status = try await program.status()
                guard status != 0 else { continue }
                #expect(status == -signal && !isCaught, "after \(milliseconds) ms: \(status) \(program.errors)")
                early += 1
            }
            print("\(early) of 25 were ended by the signal before the handler was there")
        }

        @Test func `the handlers are there before the first line of the log`() async throws {
            let program = try Program(serve)
            var isCaught = false
            while !isCaught {
                // Read before the handlers are looked for: between the two, a process may get both.
                let lines = program.errors
                isCaught = try catches(SIGTERM, program)
                #expect(isCaught || lines.isEmpty)
            }
            #expect(try catches(SIGINT, program) && catches(SIGHUP, program))
            program.signal(SIGHUP)
            program.signal(SIGTERM)
            #expect(try await program.status() == 0, "\(program.errors)")
            #expect(program.errors.contains("Starting"), "\(program.errors)")
        }

        @Test func `no socket and no database gets the number of a standard stream that is closed`() async throws {
            let program = try Program(["bash", "-c", "exec \"$@\" <&- >&- 2>&-", "_"] + serve)
            while try !catches(SIGTERM, program) {}
            for descriptor in 0...2 {
                let link = "/proc/\(program.identifier)/fd/\(descriptor)"
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
            }
            program.signal(SIGTERM)
            #expect(try await program.status() == 0)
        }

        @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func `other commands end by the signal`(signal: Int32) async throws
        {
            for milliseconds in stride(from: 0, to: 150, by: 25) {
                let check = ["check", "online", "--wait", "1h", "--url", "http://127.0.0.1:1"]
                let program = try Program(Self.program + check)
                // The moment is what is tested.
                try await Task.sleep(for: .milliseconds(milliseconds))
                program.signal(signal)
                #expect(try await program.status() == -signal, "after \(milliseconds) ms")
            }
        }

        @Test(arguments: ["serve", "watch"]) func `SIGHUP is ignored under nohup`(command: String) async throws {
            let arguments =
                command == "serve" ? serve : Self.program + ["watch", "--config.file", serve[serve.count - 1]]
            let program = try Program(["env", "--ignore-signal=HUP"] + arguments)
            while try !catches(SIGTERM, program) {}
            #expect(try !catches(SIGHUP, program))
            program.signal(SIGHUP)
            program.signal(SIGTERM)
            #expect(try await program.status() == 0, "\(program.errors)")
        }

        /// Gives `start` the write end of a pipe that nobody reads.
        private func withoutReader(_ start: (Int32) throws -> Program) throws -> Program {
            let pipe = try TestPipe()
            pipe.endReading()
            return try start(pipe.writing)
        }

        @Test func `an error that no process reads ends a command with its status`() async throws {
            let bad = try folder.write("bad.yml", "path: { constrained: maybe }\n")
            for (arguments, status) in [(["snapshot"], 1), (["serve"], 1), (["--log.level=loud"], 64)] {
                let command = Self.program + arguments + ["--config.file", bad]
                let program = try withoutReader { try Program(command, errors: $0) }
                #expect(try await program.status() == Int32(status), "\(arguments)")
            }
        }

        @Test func `snapshot and watch end silently when their output is closed`() async throws {
            let file = "\(folder.path)/config.yml"
            for command in ["snapshot", "watch"] {
                let arguments = [command, "--config.file", file]
                let program = try withoutReader { try Program(Self.program + arguments, output: $0) }
                #expect(try await program.status() == 1, "\(command)")
                #expect(program.errors.isEmpty, "\(command): \(program.errors)")
            }
        }

        @Test(arguments: [true, false]) func `serve continues when its log is closed, or not read`(
            isClosed: Bool
        ) async throws {
            let port = try Loopback.closedPort()
            let arguments = ["--web.listen-address=127.0.0.1:\(port)", "--config.file", "\(folder.path)/config.yml"]
            try await withNamespace { network in
                let command = network.prefix + [Repository.executable] + arguments
                func serve(_ program: Program) async throws {
                    try await poll("an answer") {
                        let curl = ["curl", "-sf", "http://127.0.0.1:\(port)/-/healthy"]
                        return try await run(network.prefix + curl).status == 0 ? true : nil
                    }
                    program.signal(SIGTERM)
                    #expect(try await program.status() == 0)
                }
                if isClosed {
                    try await serve(withoutReader { try Program(command, errors: $0) })
                } else {
                    let pipe = try TestPipe()
                    try pipe.fill()
                    try await serve(Program(command, errors: pipe.writing))
                    // Closed before, its read end would make each write fail.
                    withExtendedLifetime(pipe) {}
                }
            }
        }
    }
}
