import Foundation
import Testing

extension EndToEndTests {
    /// The steps of a release that write to a registry and to GitHub, with programs that print their arguments in place of
    /// docker and gh.
    @Suite struct Release {
        /// A checkout of this version, as far as the steps read it.
        private func steps(
            of version: String,
            date: String = "2026-12-01",
            _ arguments: String...
        ) async throws -> Outcome {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let files = FileManager.default
            for name in ["scripts", "programs", "Sources/NetworkHealthExporter", ".build/packages"] {
                try files.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
            }
            try files.copyItem(
                atPath: "\(Repository.root)/scripts/release",
                toPath: "\(folder.path)/scripts/release"
            )
            _ = try folder.write("CHANGELOG.md", "# Changelog\n\n## \(version) / \(date)\n\nNotes.\n")
            let source = "Sources/NetworkHealthExporter/Version.swift"
            let number = /static let number = ".*"/
            let text = try Repository.text(source).replacing(number, with: "static let number = \"\(version)\"")
            _ = try folder.write(source, text)
            _ = try folder.write(".build/packages/a.deb", "a")
            for name in ["docker", "gh"] {
                let program = try folder.write("programs/\(name)", "#!/bin/sh\necho \(name) \"$@\"\n")
                try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            }
            let path = "\(folder.path)/programs:/usr/bin:/bin"
            return try await run(
                ["\(folder.path)/scripts/release"] + arguments,
                environment: ["PATH": path, "GITHUB_OUTPUT": "/dev/stderr"]
            )
        }

        @Test(arguments: [("1.2.3", true), ("1.2.3-rc.1", false), ("0.10.0-beta", false)])
        func `the image of a release is latest, and that of a pre-release is not`(
            version: String,
            latest: Bool
        ) async throws {
            let outcome = try await steps(of: version, "manifest", "v\(version)", "ghcr.io/Owner/name")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains(" --tag ghcr.io/owner/name:\(version) "))
            #expect(outcome.output.contains(":latest") == latest, "\(outcome.output)")
            let images = ["amd64", "arm64"].map { " ghcr.io/owner/name:\(version)-\($0)" }.joined()
            #expect(outcome.output.hasSuffix("\(images)\n"))
            // The stand-in prints its arguments in place of the digest.
            #expect(outcome.errors.contains("name=ghcr.io/owner/name\ndigest=docker buildx imagetools inspect "))
        }

        @Test(arguments: [("1.2.3", false), ("1.2.3-rc.1", true)])
        func `GitHub is given the files of a pre-release as such`(version: String, early: Bool) async throws {
            let outcome = try await steps(of: version, "publish", "v\(version)")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix("gh release create v\(version) --title \(version) "))
            #expect(outcome.output.contains(" --prerelease --latest=false ") == early, "\(outcome.output)")
            #expect(outcome.output.contains("/SHA256SUMS") && outcome.output.contains("/a.deb"))
        }

        @Test func `nothing is published while the changelog has no date for the version`() async throws {
            let outcome = try await steps(of: "1.2.3", date: "unreleased", "publish", "v1.2.3")
            #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome.output)")
            #expect(outcome.errors == "CHANGELOG.md has no entry \"## 1.2.3 / DATE\"\n")
        }

        @Test(arguments: [("1.2.3", "v1.2.4"), ("1.2.3", "v1.2.3-rc.1"), ("1.2.3+4", "v1.2.3+4")])
        func `a tag that is not the version of the sources, or none of an image, ends it`(
            version: String,
            tag: String
        ) async throws {
            let outcome = try await steps(of: version, "manifest", tag, "ghcr.io/owner/name")
            #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome.output)")
        }
    }
}
