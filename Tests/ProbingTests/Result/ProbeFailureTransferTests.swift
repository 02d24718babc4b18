import HTTPTransfer
import Probing
import Testing

struct ProbeFailureTransferTests {
    @Test func `each reason of a transfer is one of a probe, or none`() {
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
}
