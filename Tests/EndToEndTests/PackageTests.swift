import Foundation
import Testing

extension EndToEndTests {
    /// `scripts/package`, with the release: a debug executable is linked with libraries that no package has.
    @Suite(.serialized, .timeLimit(.minutes(4))) struct Package {
        /// Makes what is released of this executable, and returns its path; quick in place of small.
        private func package(_ kind: String, revision: Int = 1, in folder: TemporaryFolder) async throws -> String {
            let outcome = try await run(
                ["\(Repository.root)/scripts/package", kind, Repository.executable],
                environment: [
                    "NHE_PACKAGE_DIR": folder.path, "NHE_PACKAGE_REVISION": "\(revision)",
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
            let container = "\(Repository.tests)/Fixtures/package/run.sh"
            let outcome = try await run([container, old, new], within: .seconds(180))
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }

        @Test func `the tarball has the executable, the units, a manual and completions, and a checksum`() async throws
        {
            let folder = try TemporaryFolder()
            let tarball = try await package("tarball", in: folder)
            let files = try await output(of: ["tar", "--list", "--file", tarball])
            let name = "network-health-exporter"
            for file in [
                "usr/bin/\(name)", "lib/systemd/system/\(name).service", "lib/systemd/system/\(name).socket",
                "usr/share/man/man1/\(name).1.gz", "usr/share/bash-completion/completions/\(name)",
                "usr/share/zsh/vendor-completions/_\(name)", "usr/share/fish/vendor_completions.d/\(name).fish",
                "usr/lib/sysusers.d/\(name).conf", "etc/default/\(name)", "usr/share/doc/\(name)/LICENSE",
            ] {
                #expect(files.contains("/\(file)\n"), "\(file)")
            }
            try await output(of: ["sh", "-c", "cd \"$0\" && sha256sum --check --strict SHA256SUMS", folder.path])
        }

        @Test func `the manual page has every command and flag, and man has nothing to say against it`() async throws {
            let page = try await output(of: ["\(Repository.root)/scripts/manual", Repository.executable])
            let folder = try TemporaryFolder()
            let file = try folder.write("page.1", page)
            let shown = try await run(["man", "--warnings", "--local-file", file])
            #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
            let text = shown.output.replacing(/‐\n +/, with: "")
            let help = try await output(of: [Repository.executable, "serve", "--help"])
            let flags = help.matches(of: /\n {2}(--[a-z.-]+)/).map { String($0.1) }
            #expect(flags.count > 20)
            for flag in flags { #expect(text.contains(flag), "\(flag)") }
            for command in ["serve", "check", "healthcheck", "requests", "snapshot", "speedtest", "watch"] {
                #expect(page.contains("\n.SS \(command)\n"), "\(command)")
            }
        }
    }
}
