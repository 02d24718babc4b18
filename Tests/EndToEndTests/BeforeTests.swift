import Foundation
import Testing

extension EndToEndTests {
    /// What `scripts/run`, `scripts/test` and `scripts/packages` say before they begin, where something is missing.
    @Suite(.serialized, .timeLimit(.minutes(1))) struct Before {
        /// Runs a script with these programs alone: a symbolic link to this machine's, or a script of its own.
        private func start(
            _ script: [String],
            with tools: [String],
            _ made: [String: String] = [:]
        ) async throws -> Outcome {
            let folder = try TemporaryFolder()
            for tool in tools where made[tool] == nil {
                let path = try await output(of: ["sh", "-c", "command -v \(tool)"]).trimmingCharacters(in: .newlines)
                try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(tool)", withDestinationPath: path)
            }
            for (tool, text) in made {
                let path = try folder.write(tool, "#!/bin/sh\n\(text)\n")
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
            let command = ["\(Repository.root)/scripts/\(script[0])"] + script.dropFirst()
            return try await run(["/bin/bash"] + command, environment: ["PATH": folder.path])
        }

        private static let tools = ["awk", "bash", "cut", "df", "dirname", "du", "id", "mkdir", "swift"]

        @Test func `without a toolchain the line says where to find one`() async throws {
            for script in [["run"], ["test"]] {
                let outcome = try await start(script, with: Self.tools.filter { $0 != "swift" })
                #expect(outcome.status == 1)
                #expect(
                    outcome.errors
                        == "A Swift toolchain (6.2 or later) is needed: https://www.swift.org/install/linux/\n"
                )
            }
        }

        @Test func `a folder that is not writable is named`() async throws {
            for script in [["run"], ["test"]] {
                let outcome = try await start(script, with: Self.tools, ["mkdir": "exit 1"])
                #expect(outcome.status == 1)
                let folder = "\(Repository.root)/.build"
                #expect(
                    outcome.errors == "This folder must be writable, since the build goes to \(folder)\n",
                    "\(outcome)"
                )
            }
        }

        @Test func `too little space is a line with both numbers`() async throws {
            let full = "printf 'Filesystem\\nx 0 0 1024 0 /\\n'"
            for (script, needed) in [("run", 1000), ("test", 3000)] {
                let outcome = try await start([script], with: Self.tools, ["df": full, "du": "printf '7\\t.build\\n'"])
                #expect(outcome.status == 1)
                let text = "\(needed) MB are needed below \(Repository.root)/.build, and 8 MB are there\n"
                #expect(outcome.errors == text, "\(outcome)")
            }
        }

        @Test func `another system than Debian or Ubuntu is named`() async throws {
            let outcome = try await start(["packages", "build"], with: ["dirname"])
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("Debian or Ubuntu is needed (apt-get), and this is "), "\(outcome)")
            #expect(outcome.errors.split(separator: "\n").count == 1)
        }

        @Test func `without root and sudo the line says what for`() async throws {
            let user = ["id": "echo 1000", "dpkg-query": "exit 1", "apt-get": "exit 1"]
            let packages = try await start(["packages", "build"], with: ["dirname", "grep"], user)
            #expect(packages.status == 1)
            #expect(packages.errors.hasPrefix("root or sudo is needed, to install: libcrypt-dev "), "\(packages)")
            let tests = try await start(["test"], with: Self.tools, user)
            #expect(tests.status == 1)
            #expect(tests.errors == "root or sudo is needed, for packages and network namespaces\n", "\(tests)")
        }

        @Test func `another listen address keeps the quickstart, and its server is there`() async throws {
            let script = "\(Repository.root)/scripts/run"
            let quickstart = "\(Repository.root)/.build/quickstart.yml"
            for (arguments, variables, url) in [
                ([], [:], "http://127.0.0.1:10319/"), (["--web.listen-address=:9999"], [:], "http://127.0.0.1:9999/"),
                (["--web.listen-address", "[::1]:9998"], [:], "http://[::1]:9998/"),
                (["--log.level=warn"], ["NHE_WEB_LISTEN_ADDRESS": "192.0.2.7:80"], "http://192.0.2.7:80/"),
                (["--web.listen-address=2001:db8::1:10319"], [:], "http://[2001:db8::1]:10319/"),
            ] {
                try? FileManager.default.removeItem(atPath: quickstart)
                let environment = variables.merging(["NHE_EXECUTABLE": Repository.executable]) { $1 }
                let checked = try await run(
                    [script, "--"] + arguments + ["--config.check"],
                    environment: environment
                )
                #expect(checked.status == 0, "\(checked)")
                #expect(try String(contentsOfFile: quickstart, encoding: .utf8).contains(url), "\(arguments)")
            }
            for arguments in [["--speedtest.server=cloudflare"], ["--config.file=deploy/quickstart.yml"]] {
                try? FileManager.default.removeItem(atPath: quickstart)
                let environment = ["NHE_EXECUTABLE": Repository.executable]
                let checked = try await run(
                    [script, "--"] + arguments + ["--config.check"],
                    environment: environment
                )
                #expect(checked.status == 0 && !FileManager.default.fileExists(atPath: quickstart), "\(checked)")
            }
        }
    }
}
