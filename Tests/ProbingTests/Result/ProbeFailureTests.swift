import Glibc
import HTTPTransfer
import Testing

@testable import Probing

struct ProbeFailureTests {
    @Test(arguments: [EMFILE, ENFILE, ENOMEM, ENOBUFS])
    func `A limit of this machine is local`(code: Int32) {
        #expect(ProbeFailure(errno: code) == .local)
    }

    @Test(arguments: [ENETUNREACH, EHOSTUNREACH, EACCES, EPERM, ENETDOWN, EAFNOSUPPORT, EADDRNOTAVAIL])
    func `An error of the network or of a firewall rule is unreachable`(code: Int32) {
        #expect(ProbeFailure(errno: code) == .unreachable)
    }

    @Test func `Each reason of a transfer error maps to a reason of a probe, or to none`() {
        let table: [TransferError.Reason: ProbeFailure] = [
            .resolve: .resolve, .refused: .refused, .unreachable: .unreachable, .forbidden: .unreachable,
            .local: .local, .timeout: .timeout, .tls: .tls, .invalidRequest: .protocolViolation,
            .protocolViolation: .protocolViolation, .aborted: .protocolViolation,
        ]
        for reason in TransferError.Reason.allCases {
            #expect(ProbeFailure(TransferError(reason, phase: .connect, message: "")) == table[reason])
        }
        #expect(ProbeFailure(TransferError(.invalidRequest, phase: .tls, message: "no such file")) == .tls)
    }

    @Test func `A time-out that was noticed long after the deadline is local, since this process did not run`() {
        var error = TransferError(.timeout, phase: .processing, message: "")
        error.statistics.isLate = true
        #expect(ProbeFailure(error) == .local)
    }
}
