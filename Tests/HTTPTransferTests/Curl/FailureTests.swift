import CCurl
import Glibc
import Testing

@testable import HTTPTransfer

struct FailureTests {
    @Test(
        arguments: [
            (CURLE_COULDNT_RESOLVE_HOST, 0, TransferError.Reason.resolve, TransferError.Phase.resolve),
            (CURLE_COULDNT_RESOLVE_PROXY, 0, .resolve, .resolve),
            (CURLE_COULDNT_CONNECT, ECONNREFUSED, .refused, .connect),
            (CURLE_COULDNT_CONNECT, ENETUNREACH, .unreachable, .connect),
            (CURLE_COULDNT_CONNECT, EHOSTUNREACH, .unreachable, .connect),
            (CURLE_COULDNT_CONNECT, EADDRNOTAVAIL, .local, .connect),
            (CURLE_COULDNT_CONNECT, ENOBUFS, .local, .connect),
            (CURLE_COULDNT_CONNECT, EACCES, .unreachable, .connect),
            (CURLE_COULDNT_CONNECT, ETIMEDOUT, .timeout, .connect),
            (CURLE_INTERFACE_FAILED, ENODEV, .unreachable, .connect),
            (CURLE_OPERATION_TIMEDOUT, 0, .timeout, nil),
            (CURLE_PEER_FAILED_VERIFICATION, 0, .tls, .tls),
            (CURLE_SSL_CONNECT_ERROR, ECONNRESET, .tls, .tls),
            (CURLE_SSL_CACERT_BADFILE, 0, .invalidRequest, .tls),
            (CURLE_URL_MALFORMAT, 0, .invalidRequest, nil),
            (CURLE_PARTIAL_FILE, 0, .protocolViolation, nil),
            (CURLE_RECV_ERROR, ECONNRESET, .protocolViolation, nil),
            (CURLE_GOT_NOTHING, 0, .protocolViolation, nil),
            (CURLE_UNSUPPORTED_PROTOCOL, 0, .protocolViolation, nil),
            (CURLE_TOO_MANY_REDIRECTS, 0, .protocolViolation, nil),
            (CURLE_SEND_FAIL_REWIND, 0, .aborted, nil),
        ] as [(CURLcode, Int32, TransferError.Reason, TransferError.Phase?)]
    )
    func `a code has a reason and maybe a phase`(
        _ code: CURLcode,
        _ systemError: Int32,
        _ reason: TransferError.Reason,
        _ phase: TransferError.Phase?
    ) {
        let failure = Failure(code, systemError: systemError)
        #expect(failure.reason == reason && failure.phase == phase)
    }

    @Test(
        arguments: [
            // No address was tried.
            (.unreachable, CURLE_COULDNT_CONNECT, 0, true),
            (.local, CURLE_COULDNT_CONNECT, 0, true),
            // Another one was: a refusal says more, a missing route less than a limit of this machine.
            (.local, CURLE_COULDNT_CONNECT, ECONNREFUSED, false),
            (.local, CURLE_COULDNT_CONNECT, ENETUNREACH, true),
            (.unreachable, CURLE_COULDNT_CONNECT, ENETUNREACH, false),
            (.local, CURLE_OPERATION_TIMEDOUT, EINPROGRESS, true),
        ] as [(TransferError.Reason, CURLcode, Int32, Bool)]
    )
    func `an address that could not be tried outranks what the others say only where it may be up`(
        _ reason: TransferError.Reason,
        _ code: CURLcode,
        _ systemError: Int32,
        _ outranks: Bool
    ) {
        let failure = Failure(code, systemError: systemError)
        #expect(Objection(reason, "").outranks(failure, systemError: systemError) == outranks)
    }
}
