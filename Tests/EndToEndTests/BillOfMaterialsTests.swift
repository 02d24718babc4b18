import Foundation
import Testing

extension EndToEndTests {
    /// `scripts/sbom`.
    @Suite(.timeLimit(.minutes(2))) struct BillOfMaterials {
        private struct Document: Decodable {
            struct Component: Decodable {
                var name: String
                var version: String
                var purl: String
            }

            struct Metadata: Decodable {
                var component: Program
            }

            struct Program: Decodable {
                var version: String
            }

            var metadata: Metadata
            var components: [Component]
        }

        @Test func `it is valid, and lists what is linked`() async throws {
            let folder = try TemporaryFolder()
            let script = "\(Repository.root)/scripts/sbom"
            let text = try await output(of: [script, Repository.executable], within: .seconds(60))
            // The same file gives the same text.
            #expect(try await output(of: [script, Repository.executable], within: .seconds(60)) == text)
            let file = try folder.write("sbom.json", text)
            let check = """
                import sys
                from cyclonedx.schema import SchemaVersion
                from cyclonedx.validation.json import JsonStrictValidator
                sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()))
                """
            try await output(of: [Peer.program("python3"), "-c", check, file], within: .seconds(60))

            let document = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
            let reported = try await output(of: [Repository.executable, "--version"])
            #expect(reported.contains(", version \(document.metadata.component.version) ("))
            let components = document.components
            let versions = Dictionary(uniqueKeysWithValues: components.map { ($0.name, $0.version) })
            let resolved = try String(contentsOfFile: "\(Repository.root)/Package.resolved", encoding: .utf8)
            let pins = resolved.matches(of: /"identity" : "(.+)"/).map { String($0.1) }
            #expect(!pins.isEmpty)
            let notice = try Repository.text("NOTICE")
            for pin in pins {
                #expect(versions[pin] != nil, "\(pin)")
                #expect(notice.contains("  \(pin) "), "NOTICE does not name \(pin)")
                let own = "\(Repository.root)/.build/checkouts/\(pin)/NOTICE.txt"
                guard let text = try? String(contentsOfFile: own, encoding: .utf8) else { continue }
                #expect(notice.contains(text.trimmingCharacters(in: .newlines)), "NOTICE has not that of \(pin)")
            }
            #expect(text.contains(#""expression": "Apache-2.0 WITH Swift-exception""#))
            let installed = try await output(of: ["dpkg-query", "-W", "-f", "${Version}", "libmicrohttpd12"])
            #expect(versions["libmicrohttpd12"] == installed)
            #expect(components.contains { $0.purl.hasPrefix("pkg:deb/debian/libcurl3-gnutls@") })
        }
    }
}
