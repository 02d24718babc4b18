import Foundation
import Testing

extension EndToEndTests {
    /// What the commands refuse, and in which words.
    @Suite(.timeLimit(.minutes(1))) struct CommandLineErrors {
        @Test(arguments: [
            ["--nonsense"], ["nonsense"], ["serve", "--nonsense"], ["snapshot", "--format", "xml"],
            ["watch", "--nonsense"],
            ["--log.level=loud"], ["healthcheck", "--url", "nonsense"], ["healthcheck", "--requirement", "a b"],
        ])
        func `a usage error exits with 64 and a message`(arguments: [String]) async throws {
            let outcome = try await run([Repository.executable] + arguments)
            #expect(outcome.status == 64)
            #expect(outcome.errors.hasPrefix("Error: "))
        }

        @Test(arguments: [
            ["--log.level=BAD"], ["--BAD"], ["BAD"], ["check", "online", "--wait", "BAD"],
            ["requests", "retry", "BAD"],
            ["speedtest", "--protocol", "BAD"], ["healthcheck", "--requirement", "BAD"], ["check", "BAD", "--local"],
            ["healthcheck", "--tls.ca-file", "BAD"],
        ])
        func `an error never contains the escape sequences of its argument`(arguments: [String]) async throws {
            let bad = arguments.map { $0.replacing("BAD", with: "\u{1b}[31m\u{9b}x") }
            let outcome = try await run(["unshare", "-n", Repository.executable] + bad)
            #expect(outcome.status != 0)
            #expect(outcome.errors.contains(#"\u001b[31m\u009bx"#), "\(outcome.errors.debugDescription)")
            #expect(!outcome.errors.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\u{9b}" })
        }

        @Test(arguments: [
            (["--log.level=loud"], "serve "), (["serve", "--log.level=loud"], "serve "), (["--nonsense"], "serve "),
            (["serve", "--path.procfs=/nope"], "serve "), (["--path.sysfs=/proc/version"], "serve "),
            (["snapshot", "--path.sysfs=/nope"], "snapshot "), (["snapshot", "--format", "xml"], "snapshot "),
            (["check", "online", "--wait", "soon"], "check "), (["speedtest", "--protocol", "x"], "speedtest "),
            (["nonsense"], ""),
        ])
        func `a usage error is two lines, with where there is help`(
            arguments: [String],
            command: String
        ) async throws {
            let outcome = try await run(["unshare", "-n", Repository.executable] + arguments)
            #expect(outcome.status == 64)
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == 2 && lines.last == "See 'network-health-exporter \(command)--help'.", "\(outcome)")
            if let flag = arguments.first(where: { $0.contains("path.") })?.split(separator: "=").first {
                #expect(outcome.errors.contains("\(flag): expected a folder, found"), "\(outcome)")
            }
        }

        @Test(arguments: [
            (["chek", "online"], "Unknown command 'chek'. Did you mean 'check'?"),
            (["speedtst", "--json"], "Unknown command 'speedtst'. Did you mean 'speedtest'?"),
            (["nonsense"], "Unknown command 'nonsense'. The commands are serve, snapshot, check, watch, "),
            (["serve", "extra"], "Unexpected argument 'extra'"),
            (["-config.check"], "Unknown option \"-config.check\": flags begin with two dashes"),
            (["serve", "-config.check=x"], "Unknown option \"-config.check\": flags begin with two dashes"),
        ])
        func `a wrong command has its suggestion`(arguments: [String], message: String) async throws {
            let outcome = try await run([Repository.executable] + arguments)
            #expect(outcome.status == 64 && outcome.errors.hasPrefix("Error: \(message)"), "\(outcome)")
        }

        @Test(arguments: [
            "internet: { tls_config: { ca_file: /etc/hostname } }",
            "targets: [{ name: a, module: http, address: 'https://h/', ca_file: /etc/hostname }]",
        ])
        func `the check of a configuration refuses authorities without a certificate`(text: String) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("config.yml", text)
            let outcome = try await run([Repository.executable, "--config.check", "--config.file", file])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("ca_file: expected a file with a certificate in PEM format"), "\(outcome)")
        }

        @Test func `the errors of a file are all in the log, one a line`() async throws {
            let folder = try TemporaryFolder()
            let bad = try folder.write("bad.yml", "path:\n  constrained: maybe\n  expensve: true\ninternet: 5\n")
            let outcome = try await run([Repository.executable, "--config.check", "--config.file", bad])
            #expect(outcome.status == 1)
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == 3, "\(outcome)")
            for (line, place) in zip(lines, ["2: path.constrained: ", "3: path: unknown key", "4: internet: "]) {
                #expect(line.contains("level=error") && line.contains("\(bad):\(place)"), "\(line)")
            }
        }

        @Test func `a wrong variable exits with 64 and is named`() async throws {
            let outcome = try await run([Repository.executable], environment: ["NHE_LOG_FORMAT": "xml"])
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("NHE_LOG_FORMAT: expected logfmt or json, found \"xml\""))
        }

        @Test func `a bad file at the start is an error with its place`() async throws {
            let folder = try TemporaryFolder()
            let bad = try folder.write("bad.yml", "path:\n  constrained: maybe\n")
            let arguments = ["--web.listen-address=127.0.0.1:0", "--config.file", bad]
            for arguments in [arguments, ["snapshot", "--config.file", bad], ["watch", "--config.file", bad]] {
                let outcome = try await run([Repository.executable] + arguments)
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains("\(bad):2: path.constrained: expected true or false, found "))
            }
        }

        @Test func `a port in use is an error with address, errno and flag, and no address is printed as served`()
            async throws
        {
            try await withExporter { first in
                let outcome = try await run([Repository.executable, "--web.listen-address=127.0.0.1:\(first.port)"])
                #expect(outcome.status == 1)
                #expect(
                    outcome.errors.contains(
                        """
                        cannot listen on 127.0.0.1:\(first.port): Address already in use (errno 98): choose another port \
                        with --web.listen-address or NHE_WEB_LISTEN_ADDRESS
                        """
                    )
                )
                #expect(!outcome.errors.contains("http://"), "\(outcome.errors)")
            }
        }
    }
}
