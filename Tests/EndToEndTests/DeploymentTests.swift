import Foundation
import Testing

extension EndToEndTests {
    /// What is in `deploy/` and `.github/`, by the tools that read it.
    @Suite(.timeLimit(.minutes(2))) struct Deployment {
        private static let folder = "\(Repository.root)/deploy"
        private static let exposure = 2.0

        @Test func `the Compose files follow the schema`() async throws {
            let files = ["compose.yml", "compose.build.yml", "compose.gate.yml"]
            try await validate(files.map { "\(Self.folder)/\($0)" }, schema: "vendor.compose-spec")
        }

        @Test(arguments: [[], ["compose.build.yml"], ["compose.gate.yml"]])
        func `docker-compose joins the files, and all that they mount is here`(additions: [String]) async throws {
            let files = (["compose.yml"] + additions).flatMap { ["-f", "\(Self.folder)/\($0)"] }
            let joined = try await output(of: ["docker-compose"] + files + ["config"])
            #expect(joined.contains("NHE_WEB_LISTEN_ADDRESS: 127.0.0.1:10319"))
            let mounted = joined.matches(of: /- (\/[^:]+):[^:]+:ro\n/).map { String($0.1) }
            #expect(mounted.count == 4)
            for path in mounted { #expect(FileManager.default.fileExists(atPath: path), "\(path)") }
            #expect(joined.contains("condition: service_completed_successfully") == (additions == ["compose.gate.yml"]))
        }

        @Test func `Prometheus accepts the file of the Compose project`() async throws {
            try await output(of: ["promtool", "check", "config", "\(Self.folder)/compose/prometheus.yml"])
        }

        @Test func `systemd accepts the unit and its socket, and finds little that is exposed`() async throws {
            let name = "network-health-exporter"
            let folder = try TemporaryFolder()
            let unit = try Repository.text("deploy/systemd/\(name).service")
            let service = try folder.write(
                "\(name).service",
                unit.replacing("ExecStart=/usr/bin/\(name)", with: "ExecStart=\(Repository.executable)")
            )
            let socket = try folder.write("\(name).socket", Repository.text("deploy/systemd/\(name).socket"))
            let verified = try await run(["systemd-analyze", "verify", "--man=no", service, socket])
            #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified.errors)")
            let report = try await output(of: ["systemd-analyze", "security", "--offline=yes", "--no-pager", service])
            let exposure = try #require(report.firstMatch(of: /exposure level for \S+: ([0-9.]+)/)).1
            #expect(try #require(Double(exposure)) < Self.exposure)
        }

        @Test func `the manifests fit the schemas of Kubernetes and each other`() async throws {
            let check = "\(Repository.tests)/Fixtures/manifests.py"
            let command = [try Peer.program("python3"), check, Repository.root, Repository.executable]
            let outcome = try await run(command, within: .seconds(60))
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }

        @Test func `the workflows follow the schema, and run scripts that exist`() async throws {
            let files = ["ci.yml", "release.yml"].map { ".github/workflows/\($0)" }
            try await validate(files.map { "\(Repository.root)/\($0)" }, schema: "vendor.github-workflows")
            for file in files {
                let scripts = try Repository.text(file).matches(of: /scripts\/[a-z]+/).map { String($0.0) }
                #expect(!scripts.isEmpty, "\(file)")
                for script in scripts {
                    #expect(FileManager.default.isExecutableFile(atPath: "\(Repository.root)/\(script)"), "\(script)")
                }
            }
        }

        @Test func `the versions of the packages are committed, and the build took them`() async throws {
            let file = "\(Repository.root)/Package.resolved"
            // Elsewhere the checkout may belong to another user.
            let git = ["git", "-c", "safe.directory=*", "-C", Repository.root]
            for command in [["ls-files", "--error-unmatch", file], ["diff", "--exit-code", "HEAD", "--", file]] {
                let outcome = try await run(git + command)
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            }
        }

        @Test func `what a tag publishes waits for the tests of the tag`() async throws {
            let check = "\(Repository.tests)/Fixtures/workflows.py"
            let command = [try Peer.program("python3"), check, "\(Repository.root)/.github/workflows"]
            let outcome = try await run(command)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }

        /// By the schemas that check-jsonschema contains.
        private func validate(_ files: [String], schema: String) async throws {
            let command = [try Peer.program("check-jsonschema"), "--builtin-schema", schema]
            let outcome = try await run(command + files, within: .seconds(60))
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
    }
}
