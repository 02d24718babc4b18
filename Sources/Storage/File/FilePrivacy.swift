import Glibc

/// Whether other users can read or write a database, or a file that SQLite has beside it.
enum FilePrivacy {
    /// - Parameters:
    ///   - path: The database's, without symbolic links.
    ///   - companions: What is appended to it for the files beside it, which may be absent.
    /// - Throws: Where others can, with the command that mends it.
    static func require(_ path: String, _ companions: [String]) throws(StorageError) {
        let name = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let folder = status(name) else { return }
        let open = companions.map { path + $0 }.compactMap { file in
            status(file).flatMap { isOpen($0, in: folder) ? (file: file, status: $0) : nil }
        }
        guard let first = open.first else { return }
        let mode = String(first.status.st_mode & 0o7777, radix: 8)
        let files = open.map { word($0.file) }.joined(separator: " ")
        // With the mode alone, this user could not open the file of another one.
        let user = geteuid()
        let isOwn = user == 0 || open.allSatisfy { $0.status.st_uid == user }
        let command = (isOwn ? "" : "chown \(user) \(files) && ") + "chmod 600 \(files)"
        throw StorageError(first.file, .open, "other users can read or write it (mode \(mode)): \(command)")
    }

    /// Whether the mode of a file gives it to others than its owner.
    ///
    /// A group may have it in a folder that belongs to the group, too (set-group-ID and writable, as Kubernetes makes the volumes
    /// of a pod with `fsGroup` at each start): there its members can replace any file.
    static func isOpen(_ file: stat, in folder: stat) -> Bool {
        guard file.st_mode & (S_IROTH | S_IWOTH) == 0 else { return true }
        guard file.st_mode & (S_IRGRP | S_IWGRP) != 0 else { return false }
        let shared = S_ISGID | S_IWGRP
        return folder.st_mode & shared != shared || folder.st_gid != file.st_gid
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// A path as a shell reads it back.
    static func word(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isPlain ? path : "'\(path.replacing("'", with: #"'\''"#))'"
    }
}
