import Foundation
import Testing

extension EndToEndTests {
    /// The scripts for shells, each in its shell; what they offer is decided by the program.
    @Suite(.timeLimit(.minutes(1))) struct Completions {
        private static let lines: [(line: String, expected: [String])] = [
            ("ch", ["check"]), ("check la", ["largeDownload", "largeUpload"]), ("check --sys", ["--systemd-condition"]),
            ("healthcheck --requirement onl", ["online"]), ("serve --log.level w", ["warn"]),
            ("--log.level w", ["warn"]),
            ("snapshot --format p", ["prometheus"]), ("speedtest --protocol nd", ["ndt7"]),
            ("requests ca", ["cancel"]), ("check --url http://h:1 onl", ["online"]),
            ("serve --config.file LIC", ["LICENSE"]), ("--config.file deploy/web", ["deploy/web.yml"]),
            ("--path.procfs Tests/CL", ["Tests/CLab"]),
        ]

        /// A command of this name, as it is installed, and the script of a shell: sourced as `$1`, its words as `$2`.
        private func ask(_ shell: [String], _ name: String, _ program: String, _ line: String) async throws -> [String]
        {
            let folder = try TemporaryFolder()
            let command = "\(folder.path)/network-health-exporter"
            try FileManager.default.createSymbolicLink(atPath: command, withDestinationPath: Repository.executable)
            let script = try await output(of: [command, "--generate-completion-script", name])
            let file = try folder.write("completions", script)
            let source = try folder.write("ask", program)
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let outcome = try await run(
                ["env", "-C", Repository.root] + shell + [source, file, line],
                environment: ["PATH": "\(folder.path):\(path)", "HOME": folder.path]
            )
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            return outcome.output.split(separator: "\n").map(String.init)
        }

        @Test(arguments: lines + [("--log.level=w", ["warn"]), ("--config.file=LIC", ["LICENSE"])])
        func `bash completes commands, flags and their values`(line: String, expected: [String]) async throws {
            let words = try await ask(
                ["bash"],
                "bash",
                """
                . "$1" && set -- network-health-exporter $2
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
                function=$(complete -p "$1" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
                "$function" "$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """,
                line
            )
            #expect(words == expected)
        }

        @Test(
            arguments: lines + [
                ("--log.level=w", ["--log.level=warn"]), ("--config.file=LIC", ["--config.file=LICENSE"]),
            ]
        )
        func `fish completes commands, flags and their values`(line: String, expected: [String]) async throws {
            let program = """
                source $argv[1]
                complete -C "network-health-exporter $argv[2]" | string split -f 1 \\t
                true
                """
            let words = try await ask(["fish", "--no-config"], "fish", program, line)
            #expect(words.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } == expected)
        }

        /// The functions of zsh's completion system print what they get.
        @Test(arguments: lines + [("--log.level=w", ["--log.level=warn"]), ("--config.file=LIC", ["LICENSE"])])
        func `zsh completes commands, flags and their values`(line: String, expected: [String]) async throws {
            let words = try await ask(
                ["zsh", "-f"],
                "zsh",
                #"""
                compdef() { : }
                compset() { PREFIX=${PREFIX#--*=} }
                _files() { setopt nullglob; [[ $1 == -/ ]] && print -l -- $PREFIX*(/) || print -l -- $PREFIX* }
                _describe() { print -l -- "${(@)${(P@)2}%%:*}" }
                . $1
                words=(network-health-exporter ${=2}) CURRENT=$#words PREFIX=$words[-1]
                _network-health-exporter
                """#,
                line
            )
            #expect(words == expected)
        }
    }
}
