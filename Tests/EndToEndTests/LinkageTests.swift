import Foundation
import Testing

extension EndToEndTests {
    /// What the release is linked with: a single file with `import Foundation` would bring 45 MB.
    @Suite(.timeLimit(.minutes(1))) struct Linkage {
        /// What Debian's libraries bring: ours are microhttpd, systemd, yaml and z.
        private static let allowed: Set<String> = [
            "linux-vdso", "ld-linux-x86-64", "ld-linux-aarch64", "libc", "libm", "libgcc_s", "libstdc++",
            "libmicrohttpd", "libsystemd", "libyaml-0", "libz",
            // microhttpd's TLS.
            "libgnutls", "libp11-kit", "libidn2", "libunistring", "libtasn1", "libnettle", "libhogweed", "libgmp",
            "libffi",
            // systemd's journal.
            "libcap", "libgcrypt", "libgpg-error", "liblzma", "liblz4", "libzstd",
        ]

        private func release() throws -> String {
            let given = ProcessInfo.processInfo.environment["NHE_EXECUTABLE"] ?? ""
            return try #require(
                given.isEmpty ? nil : given,
                "needs the release: run scripts/test, or set NHE_EXECUTABLE to a build with -c release --static-swift-stdlib"
            )
        }

        @Test func `has no internationalization tables`() async throws {
            let symbols = try await output(of: ["nm", try release()], within: .seconds(60))
            #expect(symbols.contains("20FoundationEssentials"), "a stripped executable proves nothing")
            #expect(!symbols.contains("FoundationInternationalization"))
        }

        @Test func `needs the libraries of a list and no other`() async throws {
            let libraries = try await output(of: ["ldd", try release()]).split(separator: "\n").compactMap { line in
                line.split(whereSeparator: \.isWhitespace).first?.split(separator: "/").last.map(String.init)
            }
            #expect(libraries.contains { $0.hasPrefix("libmicrohttpd.so") })
            let names = Set(libraries.map { $0.components(separatedBy: ".so")[0] })
            #expect(names.subtracting(Self.allowed) == [])
        }
    }
}
