import Foundation

/// What a container has of the exporter: its binary, the libraries that it is linked with, and nothing else.
final class ImageRoot {
    private let folder: TemporaryFolder

    /// Runs a command in there, with the /proc that every container has: Swift finds its arguments in it.
    ///
    /// The mount is gone with the namespace's process.
    func command(_ command: [String], in namespace: Namespace) -> [String] {
        let script = #"mount -t proc proc "$0/proc" && exec chroot "$0" "$@""#
        return namespace.prefix + ["sh", "-c", script, folder.path] + command
    }

    init() async throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/proc", withIntermediateDirectories: true)
        try copy(Repository.executable, to: "/usr/bin/network-health-exporter")
        // "libcurl-gnutls.so.4 => /lib/x86_64-linux-gnu/libcurl-gnutls.so.4 (0x…)", and the loader without an arrow.
        for line in try await output(of: ["ldd", Repository.executable]).split(separator: "\n") {
            guard let library = line.split(whereSeparator: \.isWhitespace).first(where: { $0.hasPrefix("/") }) else {
                continue
            }
            try copy(String(library), to: String(library))
        }
    }

    private func copy(_ file: String, to place: String) throws {
        let target = URL(filePath: folder.path + place)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(at: URL(filePath: file).resolvingSymlinksInPath(), to: target)
    }
}
