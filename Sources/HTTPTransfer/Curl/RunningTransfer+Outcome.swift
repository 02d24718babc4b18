import CCurl
import FoundationEssentials
import Posix

extension RunningTransfer {
    /// In bytes; libcurl 7.88 reports a longer one as if memory had run out (CURL_MAX_HTTP_HEADER in its lib/http.h).
    private static let longestHeaderLine: UInt64 = 100 * 1024

    /// Why it was asked to end.
    var wantedError: TransferError? {
        transfer.wantedEnd.map { error($0.reason, $0.message) }
    }

    /// An error that this loop itself has found.
    func error(
        _ reason: TransferError.Reason,
        _ message: String,
        in phase: TransferError.Phase? = nil
    ) -> TransferError {
        let text = "\(transfer.checked.destination.authority): \(message)"
        return TransferError(reason, phase: phase ?? times(isOver: false).lastPhase, message: text)
    }

    /// Whether a transfer that ended with `code` is a success: whole, or as much as was asked for.
    func isComplete(_ code: CURLcode) -> Bool {
        let isConnected = request.onlyConnects && hasConnection && objection == nil
        return code == CURLE_OK || code == CURLE_WRITE_ERROR && isTruncated
            || code == CURLE_ABORTED_BY_CALLBACK && isConnected
    }

    /// What libcurl's code means.
    func error(for code: CURLcode) -> TransferError {
        let systemError = Int32(clamping: easy.number(CURLINFO_OS_ERRNO))
        let verification = easy.number(CURLINFO_SSL_VERIFYRESULT)
        if code == CURLE_OUT_OF_MEMORY, hasConnection, !isHeadComplete, carried.received >= Self.longestHeaderLine {
            return error(.protocolViolation, "a header line of more than \(Self.longestHeaderLine) bytes")
        }
        // libcurl 7.88 also has this code for a continued line without a header before it, and for a trailer without a colon; an
        // option that it refuses is known before.
        if code == CURLE_BAD_FUNCTION_ARGUMENT, hasConnection {
            return error(.protocolViolation, "a line of the answer's head or of its trailers is no header")
        }
        let failure = Failure(code, systemError: systemError, verification: verification)
        if let objection, objection.outranks(failure, systemError: systemError) {
            return error(objection.reason, objection.message, in: failure.phase)
        }
        var error = error(failure.reason, easy.message(for: code), in: failure.phase)
        (error.cut, error.distrust) = (failure.cut, failure.distrust)
        return error
    }

    /// What `perform` returns or throws; asked before the handle is reset.
    func outcome(_ error: TransferError?) -> Transfer.Outcome {
        if let socket = easy.socket { readStatistics(of: socket) }
        let statistics = statistics(isOver: error == nil)
        if var error {
            error.statistics = statistics
            return .failure(error)
        }
        var response = TransferResponse(status: easy.number(CURLINFO_RESPONSE_CODE), statistics: statistics)
        response.headers = easy.headers
        response.body = body
        response.isTruncated = isTruncated
        return .success(response)
    }

    /// The moments so far; once libcurl has ended it, its total is final.
    func times(isOver: Bool) -> TransferTimes {
        var times = TransferTimes()
        times.usesTLS = transfer.checked.destination.isTLS
        times.needsNoLookup = transfer.checked.needsNoLookup
        // libcurl still has the times of an earlier try.
        guard lookup == nil else {
            times.total = Int64(elapsed / .microseconds(1))
            return times
        }
        let head = Int64(head / .microseconds(1))
        func moment(_ info: CURLINFO) -> Int64 {
            let moment = easy.offset(info)
            return moment > 0 ? head + moment : 0
        }
        times.nameLookup = moment(CURLINFO_NAMELOOKUP_TIME_T)
        times.connect = moment(CURLINFO_CONNECT_TIME_T)
        // libcurl reports it after the handshake.
        if times.connect == 0, let reached { times.connect = Int64(reached.after / .microseconds(1)) }
        times.tls = moment(CURLINFO_APPCONNECT_TIME_T)
        // libcurl also takes the end of a connection for the first byte, and that of a body which is sent.
        if receivedBytes > 0 {
            times.firstByte = moment(CURLINFO_STARTTRANSFER_TIME_T)
            if request.hasBody, let answered {
                times.firstByte = max(times.firstByte, Int64(answered / .microseconds(1)))
            }
        }
        times.total = head + easy.offset(CURLINFO_TOTAL_TIME_T)
        if !isOver { times.total = max(times.total, Int64(elapsed / .microseconds(1))) }
        times.isReused = hasConnection && !hasOpenedSocket
        times.usesTLS = times.usesTLS || times.tls > 0
        return times
    }

    /// What is still to come of the answer's body; nil: its size is not known.
    ///
    /// The answer to a body is small.
    var rest: UInt64? {
        let size = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        return size < 0 ? request.hasBody ? 0 : nil : UInt64(clamping: size - easy.offset(CURLINFO_SIZE_DOWNLOAD_T))
    }

    /// As HTTP, without TLS.
    private var receivedBytes: Int64 {
        easy.offset(CURLINFO_SIZE_DOWNLOAD_T) + Int64(easy.number(CURLINFO_HEADER_SIZE))
    }

    private func statistics(isOver: Bool) -> TransferStatistics {
        var statistics = TransferStatistics()
        let times = times(isOver: isOver)
        statistics.phases = times.phases
        statistics.duration = .microseconds(times.total)
        // libcurl's own count where the kernel is too old to count.
        let carried = carried
        statistics.receivedBytes = max(carried.received, UInt64(clamping: receivedBytes))
        statistics.bodyBytes = UInt64(clamping: easy.offset(CURLINFO_SIZE_DOWNLOAD_T))
        let sent = easy.offset(CURLINFO_SIZE_UPLOAD_T) + Int64(easy.number(CURLINFO_REQUEST_SIZE))
        statistics.sentBytes = max(carried.sent, UInt64(clamping: sent))
        if hasConnection {
            statistics.remoteAddress = easy.text(CURLINFO_PRIMARY_IP).flatMap { IPAddress($0) }
            statistics.remotePort = UInt16(exactly: easy.number(CURLINFO_PRIMARY_PORT))
        } else if let reached {
            statistics.remoteAddress = reached.address.ip
            statistics.remotePort = reached.address.port
        }
        statistics.httpVersion = easy.httpVersion
        statistics.certificateExpiry = certificateExpiry
        statistics.tls = tls
        (statistics.connectionRTT, statistics.retransmissions) = (roundTrip, retransmissions)
        statistics.routerError = routerError
        statistics.isLate = transfer.deadline.duration(to: .now) > .seconds(2)
        return statistics
    }
}

extension EasyHandle {
    /// Those of the last answer, interim ones and trailers left out.
    var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        var header = curl_easy_nextheader(pointer, UInt32(CURLH_HEADER), -1, nil)
        while let current = header {
            headers.append((String(cString: current.pointee.name), String(cString: current.pointee.value)))
            header = curl_easy_nextheader(pointer, UInt32(CURLH_HEADER), -1, current)
        }
        return headers
    }

    fileprivate var httpVersion: String? {
        switch number(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "1.0"
        case Int(CURL_HTTP_VERSION_1_1): "1.1"
        default: nil
        }
    }
}
