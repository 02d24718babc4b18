import Glibc
import Testing

@testable import Probing

struct ProbeFailureErrnoTests {
    @Test(arguments: [EMFILE, ENFILE, ENOMEM, ENOBUFS, EADDRNOTAVAIL])
    func `A limit of this machine is local`(code: Int32) {
        #expect(ProbeFailure(errno: code) == .local)
    }

    @Test(arguments: [ENETUNREACH, EHOSTUNREACH, EACCES, EPERM, ENETDOWN, EAFNOSUPPORT])
    func `What the network or a rule says is unreachable`(code: Int32) {
        #expect(ProbeFailure(errno: code) == .unreachable)
    }
}
