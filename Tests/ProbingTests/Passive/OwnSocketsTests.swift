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
        let link = try #require(SymbolicLink.destination(of: "/proc/self/fd/\(descriptor.number)"))
        let inode = try #require(OwnSockets.inode(ofLink: link))
        #expect(try OwnSockets.inodes().contains(inode))
        _ = consume descriptor
        #expect(try !OwnSockets.inodes().contains(inode))
    }

    @Test func `Throws without procfs`() {
        #expect(throws: SystemError(call: "opendir /nowhere/self/fd", code: ENOENT)) {
            try OwnSockets.inodes(procfs: "/nowhere")
        }
    }

    @Test(
        arguments: [
            ("socket:[4711]", 4711), ("socket:[4294967295]", 4_294_967_295), ("socket:[4294967296]", nil),
            ("socket:[]", nil), ("socket:[-1]", nil), ("socket:[7", nil), ("pipe:[4711]", nil), ("/socket:[4711]", nil),
            ("", nil),
        ] as [(String, UInt32?)]
    )
    func `reads the link of a descriptor`(link: String, inode: UInt32?) {
        #expect(OwnSockets.inode(ofLink: link) == inode)
    }
}
