import CCurl
import Coordination
import Glibc
package import Posix

/// Performs HTTP transfers: the seam to libcurl, which tests replace.
package protocol HTTPTransferring: Sendable {
    /// Performs one request to its end.
    ///
    /// A status such as 404 is an answer and no error. Cancelling the task ends the transfer at once.
    func perform(_ request: TransferRequest) async throws(TransferError) -> TransferResponse
}

/// Performs transfers with libcurl, all of them on one thread of its own.
///
/// A transfer holds up no other one, whatever its resolver, server, body or sink does. Connections are kept open for
/// later transfers to the same place, unless a request asks for a fresh one.
package final class TransferLoop: HTTPTransferring {
    /// Transfers that may wait for the thread to start them.
    private static let capacity = 4096

    private let mailbox: Mailbox<Transfer.Command>
    private let sockets = SocketLedger()
    private let clock = Locked<ThreadClock?>(nil)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: The thread's name, 15 bytes at most.
    ///   - caFile: The PEM bundle for requests that name none; nil: Debian's.
    ///   - userAgent: Sent by requests that have no such header.
    ///   - settings: What every connection is opened with.
    ///   - resolver: Finds the addresses of names: libcurl itself looks nothing up.
    /// - Throws: A `SystemError` where descriptors, memory or threads have run out.
    package init(
        name: String,
        caFile: String? = nil,
        userAgent: String,
        sockets settings: TransferSockets = TransferSockets(),
        resolver: any NameResolving = SystemResolver.shared
    ) throws(SystemError) {
        guard CurlLibrary.initialization == CURLE_OK else { throw SystemError(call: "curl_global_init", code: ENOMEM) }
        let mailbox = try Mailbox<Transfer.Command>(capacity: Self.capacity)
        guard let handle = curl_multi_init() else { throw SystemError(call: "curl_multi_init", code: ENOMEM) }
        // Handed over: only the thread uses it, and frees it at its end; where there is no thread, it is freed here.
        nonisolated(unsafe) let multi = handle
        let defaults = TransferDefaults(
            caFile: caFile ?? TransferDefaults.systemCAFile,
            userAgent: userAgent,
            sockets: settings,
            resolver: resolver
        )
        do throws(SystemError) {
            try LoopThread(name: name) { [sockets, clock] in
                clock.withLock { $0 = ThreadClock.ofThisThread() }
                LoopRunner(multi: multi, mailbox: mailbox, sockets: sockets, defaults: defaults).run()
                // The system may give its clock's number to another thread.
                clock.withLock { $0 = nil }
            }
            .detach()
        } catch {
            curl_multi_cleanup(handle)
            throw error
        }
        self.mailbox = mailbox
    }

    deinit { stop() }

    /// Has every transfer end with `stopped`, and the thread end by itself; later transfers fail at once.
    ///
    /// Returns at once, also where a task or a `deinit` calls it. May be repeated.
    package func stop() { mailbox.stop() }

    /// What the kernel has counted on all its connections, closed ones included.
    package var counters: TCPCounters { sockets.total }

    /// The same as bytes of IP packets, with what may arrive after a connection was closed.
    package var carried: CarriedBytes { sockets.carried }

    /// What its thread has done so far; nil when it has ended.
    package var threadTime: ThreadClock.Reading? { clock.withLock { $0 }?.reading }

    package func perform(_ request: TransferRequest) async throws(TransferError) -> TransferResponse {
        let transfer = Transfer(try CheckedRequest(request))
        let outcome = await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { receivers in
                if let download = transfer.download { receivers.addTask { await self.drain(download, of: transfer) } }
                let outcome = await withTaskGroup(of: Void.self) { senders in
                    if let upload = transfer.upload { senders.addTask { await self.fill(upload, of: transfer) } }
                    let outcome = await self.run(transfer)
                    // An answer may come before the body was sent.
                    senders.cancelAll()
                    return outcome
                }
                // After a success the sink still gets the rest.
                if case .failure = outcome { receivers.cancelAll() }
                await receivers.waitForAll()
                return outcome
            }
        } onCancel: {
            end(transfer, .cancelled, "cancelled")
        }
        let response = try outcome.get()
        // A sink that did not take all of it.
        if transfer.download != nil, let end = transfer.wantedEnd {
            var error = TransferError(end.reason, phase: .transfer, message: end.message)
            error.statistics = response.statistics
            throw error
        }
        return response
    }

    /// Has the loop's thread do it.
    private func run(_ transfer: Transfer) async -> Transfer.Outcome {
        await withCheckedContinuation { continuation in
            let error: TransferError
            switch mailbox.post(.start(transfer, continuation)) {
            case .accepted: return
            case .full:
                error = TransferError(
                    .local,
                    phase: .resolve,
                    message: "\(Self.capacity) transfers are waiting already"
                )
            case .stopped: error = TransferError(.stopped, phase: .resolve, message: "the loop was stopped")
            }
            continuation.resume(returning: .failure(error))
        }
    }

    private func drain(_ download: DownloadBuffer, of transfer: Transfer) async {
        guard case .stream(let receive) = transfer.checked.request.sink else { return }
        do {
            try await download.drain(into: receive) { mailbox.post(.resumeReceiving(transfer), isFollowUp: true) }
        } catch {
            if !Task.isCancelled { end(transfer, .aborted, "the sink threw \(error)") }
        }
    }

    private func fill(_ upload: UploadBuffer, of transfer: Transfer) async {
        guard case .stream(_, let next) = transfer.checked.request.body else { return }
        do {
            try await upload.fill(from: next) { mailbox.post(.resumeSending(transfer), isFollowUp: true) }
        } catch {
            if !Task.isCancelled { end(transfer, .aborted, "the body threw \(error)") }
        }
    }

    private func end(_ transfer: Transfer, _ reason: TransferError.Reason, _ message: String) {
        transfer.wantEnd(reason, message)
        mailbox.post(.end(transfer), isFollowUp: true)
    }
}
