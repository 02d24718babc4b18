import Foundation
import Glibc

/// What a container has of the exporter: its binary, the libraries that it is linked with, a folder for data, and nothing else.
///
/// With `NHE_IMAGE_ROOT` it is the root file system of a built image, which the test may write into.
final class ImageRoot {
    static let executable = "/usr/bin/network-health-exporter"
    /// The image's user.
    private static let user: UInt32 = 65534

    /// nil: the root of a built image.
    private let folder: TemporaryFolder?
    let path: String

    /// Runs a command in there, with the /proc that every container has: Swift finds its arguments in it.
    ///
    /// The mount is gone with the namespace's process.
    func command(_ command: [String], in namespace: Namespace) -> [String] {
        namespace.prefix + shell(#"exec chroot "$0" "$@""#) + command
    }

    /// The same as the image's user, before a command and behind what enters a namespace.
    var wrapper: [String] { shell(#"exec chroot --userspec=\#(Self.user):\#(Self.user) "$0" "$@""#) }

    private func shell(_ enter: String) -> [String] {
        ["sh", "-c", #"mount -t proc proc "$0/proc" && "# + enter, path]
    }

    init() async throws {
        if let built = ProcessInfo.processInfo.environment["NHE_IMAGE_ROOT"] {
            (folder, path) = (nil, built)
            return
        }
        let folder = try TemporaryFolder()
        (self.folder, path) = (folder, folder.path)
        for name in ["/proc", "/data"] {
            try FileManager.default.createDirectory(atPath: folder.path + name, withIntermediateDirectories: true)
        }
        guard chown(folder.path + "/data", Self.user, Self.user) == 0 else {
            throw Failure(description: "chown: errno \(errno)")
        }
        try copy(Repository.executable, to: Self.executable)
        // "libcurl-gnutls.so.4 => /lib/x86_64-linux-gnu/libcurl-gnutls.so.4 (0x…)", and the loader without an arrow.
        for line in try await output(of: ["ldd", Repository.executable]).split(separator: "\n") {
            guard let library = line.split(whereSeparator: \.isWhitespace).first(where: { $0.hasPrefix("/") }) else {
                continue
            }
            try copy(String(library), to: String(library))
        }
    }

    /// Adds a file.
    func write(_ place: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path + place))
    }

    private func copy(_ file: String, to place: String) throws {
        let target = URL(filePath: path + place)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(at: URL(filePath: file).resolvingSymlinksInPath(), to: target)
    }
}
