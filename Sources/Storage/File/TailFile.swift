import Glibc
import Posix

/// A page beside a database that outlives a kill of its process, and a power cut as it was half a minute before.
///
/// It is a page of the kernel's cache, changed without a wait for the disk: the kernel writes it 30 s after a change
/// (`vm.dirty_expire_centisecs`). write(2) would also change the times of the file, which ext4 writes to its journal every 5 s.
struct TailFile: ~Copyable {
    private static let size = 4096

    private let page: UnsafeMutableRawPointer
    /// The ends of a pipe.
    private let reading: Descriptor
    private let writing: Descriptor

    /// The file beside a database.
    static func path(of database: String) -> String { "\(database).tail" }

    /// What is in the file; empty where there is none that can be read.
    static func content(of path: String) -> [UInt8] {
        guard let file = try? file(path, O_RDONLY, create: false) else { return [] }
        var bytes = [UInt8](repeating: 0, count: size)
        return Array(bytes[..<max(0, pread(file.number, &bytes, size, 0))])
    }

    /// Makes the file where there is none; what it holds stays until the first `write`.
    ///
    /// - Throws: where the disk is full, read-only or failing, and where the name is that of something else.
    init(_ path: String) throws(SystemError) {
        let file = try Self.file(path, O_RDWR, create: true)
        // With a block of its own: a change then needs no room.
        let length = max(0, lseek(file.number, 0, SEEK_END))
        if length < Self.size {
            let zeros = [UInt8](repeating: 0, count: Self.size - Int(length))
            guard pwrite(file.number, zeros, zeros.count, length) == zeros.count else {
                throw SystemError(call: "write \(path)", code: errno)
            }
        }
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw SystemError(call: "pipe", code: errno) }
        let reading = try Descriptor(owning: ends[0], from: "pipe")
        let writing = try Descriptor(owning: ends[1], from: "pipe")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard let page = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0), page != MAP_FAILED
        else { throw SystemError(call: "mmap \(path)", code: errno) }
        self.init(page, reading, writing)
    }

    private init(_ page: UnsafeMutableRawPointer, _ reading: consuming Descriptor, _ writing: consuming Descriptor) {
        self.page = page
        self.reading = reading
        self.writing = writing
    }

    deinit { munmap(page, Self.size) }

    /// Replaces the first bytes; those behind them stay.
    ///
    /// - Returns: false where the disk refuses it, or the file was truncated: then this value is of no further use.
    func write(_ bytes: [UInt8]) -> Bool {
        // Through a pipe, which takes a page at once: the kernel then returns EFAULT where an access of this process ends it (SIGBUS).
        bytes.count <= Self.size && Glibc.write(writing.number, bytes, bytes.count) == bytes.count
            && read(reading.number, page, bytes.count) == bytes.count
    }

    private static func file(_ path: String, _ access: Int32, create: Bool) throws(SystemError) -> Descriptor {
        let flags = access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT : 0)
        let file = try Descriptor(owning: open(path, flags, 0o600), from: "open \(path)")
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw SystemError(call: "stat \(path)", code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "open \(path)", code: EINVAL) }
        return file
    }
}
