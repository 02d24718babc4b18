import CCurl
import Glibc
import Posix

/// What a code of libcurl means (libcurl-errors(3)).
struct Failure: Equatable {
    let reason: TransferError.Reason
    /// The phase that follows from the code; nil: it follows from the times.
    let phase: TransferError.Phase?
    var cut: TransferError.Cut?
    var distrust: TransferError.Distrust?

    private init(
        _ reason: TransferError.Reason,
        _ phase: TransferError.Phase? = nil,
        cut: TransferError.Cut? = nil,
        distrust: TransferError.Distrust? = nil
    ) {
        self.reason = reason
        self.phase = phase
        self.cut = cut
        self.distrust = distrust
    }

    /// - Parameters:
    ///   - code: What ended the transfer.
    ///   - systemError: The errno of the last connection attempt; 0 if there was none.
    ///   - verification: What the TLS library found wrong with the certificate (CURLINFO_SSL_VERIFYRESULT).
    init(_ code: CURLcode, systemError: Int32, verification: Int = 0) {
        self =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: Failure(.resolve, .resolve)
            case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: Failure(Self.reason(connecting: systemError), .connect)
            case CURLE_OPERATION_TIMEDOUT: Failure(.timeout)
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
                CURLE_SSL_PINNEDPUBKEYNOTMATCH:
                Failure(.tls, .tls, distrust: TransferError.Distrust(verification: verification))
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_CLIENTCERT:
                Failure(.tls, .tls)
            // Files that are there and hold nothing of use.
            case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CRL_BADFILE: Failure(.invalidRequest, .tls)
            case CURLE_URL_MALFORMAT, CURLE_UNKNOWN_OPTION, CURLE_BAD_FUNCTION_ARGUMENT: Failure(.invalidRequest)
            // Also where it could open no descriptor of its own.
            case CURLE_OUT_OF_MEMORY: Failure(.local)
            case CURLE_WRITE_ERROR, CURLE_READ_ERROR, CURLE_ABORTED_BY_CALLBACK, CURLE_SEND_FAIL_REWIND:
                Failure(.aborted)
            case CURLE_PARTIAL_FILE: Failure(.protocolViolation, cut: .short)
            case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: Failure(.protocolViolation, cut: .reset)
            default: Failure(.protocolViolation)
            }
    }

    private static func reason(connecting systemError: Int32) -> TransferError.Reason {
        switch systemError {
        case ECONNREFUSED: .refused
        case ETIMEDOUT: .timeout
        // Without a source address no connection was attempted (`TransferSockets.open`): the ports have run out.
        case EADDRNOTAVAIL: .local
        case _ where SystemError.isLocalLimit(systemError): .local
        default: .unreachable
        }
    }
}

extension TransferError.Distrust {
    /// - Parameter verification: the bits of GnuTLS' `gnutls_certificate_status_t`; 0 where only the name is wrong.
    init(verification: Int) {
        let (notActivated, expired) = (1 << 9, 1 << 10)
        self =
            verification & notActivated != 0 ? .notYetValid : verification & expired != 0 ? .expired : .other
    }
}
