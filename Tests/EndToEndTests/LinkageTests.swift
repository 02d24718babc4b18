import Foundation
import Testing

extension EndToEndTests {
    /// What the release is linked with: a single file with `import Foundation` would bring 45 MB.
    @Suite(.timeLimit(.minutes(1))) struct Linkage {
        /// What it names itself; what these bring is the distribution's choice.
        private static let allowed: Set<String> = [
            "ld-linux-x86-64", "ld-linux-aarch64", "libc", "libm", "libgcc_s", "libstdc++",
            "libcrypt", "libcurl-gnutls", "libgnutls", "libmicrohttpd", "libpcre2-8", "libsqlite3", "libsystemd",
            "libyaml-0",
            "libz",
        ]

        private func release() throws -> String {
            let given = ProcessInfo.processInfo.environment["NHE_EXECUTABLE"] ?? ""
            return try #require(
                given.isEmpty ? nil : given,
                "needs the release: run scripts/test, or set NHE_EXECUTABLE to what scripts/build prints"
            )
        }

        @Test func `has no internationalization tables`() async throws {
            let symbols = try await output(of: ["nm", try release()], within: .seconds(60))
            #expect(symbols.contains("20FoundationEssentials"), "a stripped executable proves nothing")
            #expect(!symbols.contains("FoundationInternationalization"))
        }

        @Test func `needs the libraries of a list and no other`() async throws {
            let dynamic = try await output(of: ["readelf", "--dynamic", "--wide", try release()])
            let names = Set(dynamic.matches(of: /\(NEEDED\).*\[(\S+?)\.so[.0-9]*\]/).map { String($0.1) })
            #expect(names.contains("libmicrohttpd"))
            #expect(names.subtracting(Self.allowed) == [])
        }

        /// `scripts/test` runs some suites twice, the second time with Debian 13's library.
        @Test func `runs with the libmicrohttpd that the run names, else with this system's`() async throws {
            let isNamed = ProcessInfo.processInfo.environment["NHE_MICROHTTPD"] != nil
            let folder = isNamed ? "\(Repository.root)/.build/debian-13/library/" : "/usr/lib/"
            try await withExporter { exporter in
                let maps = try await output(of: ["cat", "/proc/\(exporter.program.identifier)/maps"])
                let libraries = Set(maps.matches(of: /(\/\S+)\/libmicrohttpd\.so/).map { "\($0.1)/" })
                #expect(libraries.count == 1 && libraries.allSatisfy { $0.hasPrefix(folder) }, "\(libraries)")
            }
        }
    }
}
