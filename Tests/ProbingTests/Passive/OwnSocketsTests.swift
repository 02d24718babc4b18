import Glibc
import Posix
import Testing

@testable import Probing

struct OwnSocketsTests {
    @Test func `finds the sockets of this process`() throws {
        let descriptor = try Descriptor(
            owning: socket(AF_UNIX, SocketType.stream | SocketType.flags, 0),
            from: "socket"
        )
        // `socket:[4711]`
        let link = try #require(SymbolicLink.destination(of: "/proc/self/fd/\(descriptor.number)"))
        let inode = try #require(UInt32(link.dropFirst("socket:[".count).dropLast()))
        #expect(try OwnSockets.inodes().contains(inode))
        _ = consume descriptor
        #expect(try !OwnSockets.inodes().contains(inode))
    }

    @Test func `Throws without procfs`() {
        #expect(throws: SystemError(call: "opendir /nowhere/self/fd", code: ENOENT)) {
            try OwnSockets.inodes(procfs: "/nowhere")
        }
    }
}
