import Foundation
import Testing

extension EndToEndTests {
    /// `scripts/package`, with the release: a debug executable is linked with libraries that no package has.
    @Suite(.serialized, .timeLimit(.minutes(9))) struct Package {
        /// Makes what is released of this executable, and returns its path; quick in place of small.
        private func package(
            _ kind: String,
            of executable: String = Repository.executable,
            revision: Int = 1,
            homepage: String = "",
            in folder: TemporaryFolder
        ) async throws -> String {
            let outcome = try await run(
                ["\(Repository.root)/scripts/package", kind, executable],
                environment: [
                    "NHE_PACKAGE_DIR": folder.path, "NHE_PACKAGE_REVISION": "\(revision)",
                    "NHE_HOMEPAGE": homepage,
                    "DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1",
                ],
                within: .seconds(100)
            )
            guard outcome.status == 0 else { throw Failure(description: "\(outcome.output)\(outcome.errors)") }
            return outcome.output.trimmingCharacters(in: .newlines)
        }

        @Test func `the Debian package is installed, started by unit and by socket, upgraded and purged`() async throws
        {
            let folder = try TemporaryFolder()
            let old = try await package("deb", in: folder)
            let new = try await package("deb", revision: 2, in: folder)
            let checked = try await run(["lintian", "--allow-root", "--fail-on", "error", old], within: .seconds(100))
            #expect(checked.status == 0, "\(checked.output)")
            // Without packed relocations applied, the executable would crash at its start.
            if try await output(of: ["readelf", "--dynamic", Repository.executable]).contains("(RELR)") {
                #expect(try await output(of: ["dpkg-deb", "--field", old, "Depends"]).contains("libc6 (>= 2.36)"))
            }
            let container = "\(Repository.tests)/Fixtures/package/run.sh"
            let outcome = try await run([container, old, new], within: .seconds(180))
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }

        @Test func `the package has the reference, a commented sample, runbooks that alerts link to, and a homepage`()
            async throws
        {
            let folder = try TemporaryFolder()
            let (home, doc) = ("https://github.com/example/exporter", "usr/share/doc/network-health-exporter")
            for homepage in [home, ""] {
                let file = try await package("deb", homepage: homepage, in: folder)
                let root = try TemporaryFolder()
                try await output(of: ["dpkg-deb", "--extract", file, root.path])
                // Of a field that is absent an empty line.
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: "\(root.path)/\(doc)/NOTICE",
                        andPath: "\(Repository.root)/NOTICE"
                    )
                )
                let field = try await output(of: ["dpkg-deb", "--field", file, "Homepage"])
                #expect(field == "\(homepage)\n")
                for page in ["configuration.md", "runbooks.md", "metrics.md", "recipes/backups.md"] {
                    #expect(FileManager.default.fileExists(atPath: "\(root.path)/\(doc)/docs/\(page)"), "\(page)")
                }
                // Every line is a comment, and without its mark the file is valid.
                let sample = try String(
                    contentsOfFile: "\(root.path)/\(doc)/examples/network-health-exporter.yml",
                    encoding: .utf8
                )
                let lines = sample.split(separator: "\n")
                #expect(lines.count > 20 && lines.allSatisfy { $0.hasPrefix("#") })
                let keys = lines.filter { !$0.hasPrefix("# ") || $0.hasPrefix("#  ") }.map { $0.dropFirst() }
                let configuration = try root.write("sample.yml", keys.joined(separator: "\n") + "\n")
                let checked = try await run([
                    Repository.executable, "--config.check", "--config.file", configuration,
                    "--storage.path=\(root.path)/x.db", "--web.listen-address=127.0.0.1:0",
                ])
                #expect(checked.status == 0 && sample.contains("#targets:"), "\(checked.errors)")
                let rules = try String(
                    contentsOfFile: "\(root.path)/\(doc)/examples/network-health.rules.yml",
                    encoding: .utf8
                )
                let links = rules.matches(of: /runbook_url: "([^"#]+)#/).map { String($0.1) }
                let page = homepage.isEmpty ? "file:///\(doc)/docs/runbooks.md" : "\(home)/blob/HEAD/docs/runbooks.md"
                #expect(links.count > 10 && Set(links) == [page], "\(Set(links))")
            }
        }

        /// Its library for HTTP has the name of Debian 12's, and another parser.
        @Test func `the Debian package is installed and started in Debian 13, and refuses a strange head`() async throws
        {
            let folder = try TemporaryFolder()
            let file = try await package("deb", in: folder)
            // Made by scripts/debian.
            let root = "\(Repository.root)/.build/debian-13/root"
            let library = [
                "--admindir=\(root)/var/lib/dpkg", "--show", "--showformat=${Version}", "libmicrohttpd12t64",
            ]
            #expect(try await output(of: ["dpkg-query"] + library).hasPrefix("1.0."))
            try await withNamespace { namespace in
                let exporter = try await ExporterProcess(
                    in: namespace,
                    wrapper: ["\(Repository.tests)/Fixtures/package/debian13.sh", root, file],
                    executable: "/usr/bin/network-health-exporter"
                )
                #expect(try await exporter.request("/-/healthy").status == 200)
                // It listens before it watches the network.
                try await exporter.wait(for: "network_health_monitor_backend_up{backend=\"netlink\"}", "1")
                for (line, status) in [("X: a ", 200), ("X: a\r\n b", 400), ("X: a\0b", 400), (": a", 400)] {
                    let request = "GET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(line)\r\n\r\n"
                    let send = #"exec 3<>"/dev/tcp/127.0.0.1/$0" && cat >&3 && cat <&3"#
                    let client = try Program(
                        namespace.prefix + ["bash", "-c", send, "\(exporter.port)"],
                        input: request
                    )
                    #expect(try await client.status() == 0)
                    #expect(client.output.hasPrefix("HTTP/1.1 \(status) "), "\(line.debugDescription)")
                }
                #expect(try await exporter.stop() == 0)
            }
        }

        @Test func `the package of a pre-release is older than that of its release, also to dpkg`() async throws {
            let folder = try TemporaryFolder()
            // The executable of another version: it answers `--version` itself.
            let source = try folder.write(
                "early.c",
                """
                #include <stdio.h>
                #include <string.h>
                #include <unistd.h>
                int main(int count, char **arguments) {
                    if (count < 2 || strcmp(arguments[1], "--version")) return execv("\(Repository.executable)", arguments);
                    return puts("x, version 1.2.3-rc.1 (x)\\n  platform: linux/amd64") < 0;
                }
                """
            )
            try await output(of: ["clang", "-O", "-o", "\(folder.path)/early", source])
            let packages = try TemporaryFolder()
            let file = try await package("deb", of: "\(folder.path)/early", in: packages)
            #expect(file.hasSuffix("/network-health-exporter_1.2.3-rc.1-1_amd64.deb"))
            let version = try await output(of: ["dpkg-deb", "--field", file, "Version"])
                .trimmingCharacters(in: .newlines)
            try await output(of: ["dpkg", "--compare-versions", version, "lt", "1.2.3-1"])
            try await output(of: ["dpkg", "--compare-versions", version, "gt", "1.2.2-1"])
        }

        @Test func `the tarball has the executable, the units, a manual and completions, and a checksum`() async throws
        {
            let folder = try TemporaryFolder()
            let tarball = try await package("tarball", in: folder)
            let files = try await output(of: ["tar", "--list", "--file", tarball])
            let name = "network-health-exporter"
            for file in [
                "usr/bin/\(name)", "usr/lib/systemd/system/\(name).service", "usr/lib/systemd/system/\(name).socket",
                "usr/share/man/man1/\(name).1.gz", "usr/share/bash-completion/completions/\(name)",
                "usr/share/zsh/vendor-completions/_\(name)", "usr/share/fish/vendor_completions.d/\(name).fish",
                "usr/lib/sysusers.d/\(name).conf", "etc/default/\(name)", "usr/share/doc/\(name)/LICENSE",
                "usr/share/doc/\(name)/NOTICE",
            ] {
                #expect(files.contains("/\(file)\n"), "\(file)")
            }
            // What may be a symlink below `/`, which a folder of the tarball would replace.
            #expect(files.firstMatch(of: /\n[^\/]+\/(?:lib|bin|sbin)\//) == nil)
            try await output(of: ["sh", "-c", "cd \"$0\" && sha256sum --check --strict SHA256SUMS", folder.path])
        }

        @Test func `the manual page has every command and flag, and man has nothing to say against it`() async throws {
            let page = try await output(of: ["\(Repository.root)/scripts/manual", Repository.executable])
            let folder = try TemporaryFolder()
            let file = try folder.write("page.1", page)
            let shown = try await run(["man", "--warnings", "--local-file", file])
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
            let text = shown.output
            #expect(!text.contains("‐\n"), "a hyphen that a name does not have")
            let help = try await output(of: [Repository.executable, "serve", "--help"])
            let flags = help.matches(of: /\n {2}(--[a-z.-]+)/).map { String($0.1) }
            #expect(flags.count > 20)
            for flag in flags { #expect(text.contains(flag), "\(flag)") }
            for command in ["serve", "check", "healthcheck", "requests", "snapshot", "speedtest", "watch"] {
                #expect(page.contains("\n.SS \(command)\n"), "\(command)")
            }
            #expect(text.contains("network-health-exporter check [options] requirement\n"))
            for section in ["EXIT STATUS", "SIGNALS", "FILES"] {
                #expect(text.contains("\n\(section)\n"), "\(section)")
            }
        }
    }
}
