import CCurl
import Glibc
import Posix

/// What the requests of one loop have in common.
struct TransferDefaults: Sendable {
    /// Debian's bundle; its libcurl would otherwise read every file of the directory at each handshake.
    static let systemCAFile = "/etc/ssl/certs/ca-certificates.crt"

    let caFile: String
    let userAgent: String
    let sockets: TransferSockets
    let resolver: any NameResolving
}

/// The body of the loop's thread: everything of libcurl happens in here.
///
/// Not Sendable: made, used and dropped on that thread. libcurl calls back on the thread that called it.
final class LoopRunner {
    let defaults: TransferDefaults
    private let multi: UnsafeMutableRawPointer
    private let mailbox: Mailbox<Transfer.Command>
    let sockets: SocketLedger
    private var running: [UnsafeMutableRawPointer: RunningTransfer] = [:]
    private var idle: [EasyHandle] = []
    /// The running transfer of a socket: its statistics are read, and what is still to come, before it is closed.
    private var users: [Int32: UnsafeMutableRawPointer] = [:]

    /// Handles kept for later transfers; making one costs more than a transfer on loopback.
    private static let idleLimit = 16
    /// libcurl keeps at most this many connections open for later.
    private static let openConnections = 32
    /// How long a resolver may take to end a lookup whose time is over.
    private static let lookupGrace = Duration.seconds(1)

    /// Takes ownership of `multi`.
    init(
        multi: UnsafeMutableRawPointer,
        mailbox: Mailbox<Transfer.Command>,
        sockets: SocketLedger,
        defaults: TransferDefaults
    ) {
        self.multi = multi
        self.mailbox = mailbox
        self.sockets = sockets
        self.defaults = defaults
        nhe_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.openConnections)
    }

    /// Runs until the mailbox is stopped.
    func run() {
        var messages = curl_waitfd(fd: mailbox.number, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        while true {
            let (commands, isStopped) = mailbox.take()
            for command in commands { obey(command) }
            if isStopped { break }
            // What arrived by now is in time: it is read before a deadline ends its transfer.
            let now = ContinuousClock.now
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            finishEnded()
            endLate(at: now)
            curl_multi_poll(multi, &messages, 1, timeUntilDeadline, nil)
        }
        for transfer in Array(running.values) {
            finish(transfer, with: transfer.error(.stopped, "the loop was stopped"))
        }
        idle = []
        // Closes the kept connections too, and calls back for them.
        curl_multi_cleanup(multi)
    }

    private func obey(_ command: Transfer.Command) {
        switch command {
        case .start(let transfer, let continuation): start(transfer, continuation)
        case .end(let transfer): if let found = find(transfer) { finish(found, with: found.wantedError) }
        case .resumeReceiving(let transfer): resume(transfer) { $0.isReceivingPaused = false }
        case .resumeSending(let transfer): resume(transfer) { $0.isSendingPaused = false }
        case .lookedUp(let transfer, let outcome): if let found = find(transfer) { begin(found, outcome) }
        }
    }

    private func find(_ transfer: Transfer) -> RunningTransfer? {
        running.values.first { $0.transfer === transfer }
    }

    private func start(_ transfer: Transfer, _ continuation: CheckedContinuation<Transfer.Outcome, Never>) {
        guard let easy = idle.popLast() ?? EasyHandle() else {
            continuation.resume(returning: .failure(TransferError(.local, phase: .resolve, message: "out of memory")))
            return
        }
        let new = RunningTransfer(transfer, easy: easy, runner: self, continuation: continuation)
        running[easy.pointer] = new
        if let wanted = new.wantedError {
            finish(new, with: wanted)
            return
        }
        do throws(OptionError) {
            try easy.prepare(for: new)
        } catch {
            finish(new, with: new.error(for: error.code))
            return
        }
        if transfer.checked.needsAddressesFirst {
            lookUp(for: new)
        } else {
            // A kept connection needs no address; without one libcurl asks.
            curl_multi_add_handle(multi, easy.pointer)
        }
    }

    /// Starts the lookup of its names, whose result comes as a command.
    private func lookUp(for transfer: RunningTransfer) {
        guard transfer.beginLookup() else {
            finish(transfer, with: transfer.error(.aborted, "the kept connection was closed, and the body is spent"))
            return
        }
        let (shared, deadline) = (transfer.transfer, transfer.connectDeadline)
        transfer.lookup = Task(name: "name lookup") { [resolver = defaults.resolver, mailbox] in
            let outcome = await shared.checked.names.resolve(with: resolver, until: deadline)
            mailbox.post(.lookedUp(shared, outcome), isFollowUp: true)
        }
    }

    private func begin(_ transfer: RunningTransfer, _ outcome: Result<ResolvedNames, NamesToResolve.Failure>) {
        switch outcome {
        case .success(let addresses):
            transfer.lookup = nil
            // The resolver gives up in time. Since then this process got no processor, and no server was asked.
            guard transfer.connectDeadline > .now else {
                return finish(transfer, with: transfer.error(.local, "this process ran too late", in: .resolve))
            }
            do throws(OptionError) {
                try transfer.take(addresses)
                curl_multi_add_handle(multi, transfer.easy.pointer)
            } catch {
                finish(transfer, with: transfer.error(for: error.code))
            }
        case .failure(let failure):
            finish(transfer, with: transfer.error(failure.reason, failure.message, in: .resolve))
        }
    }

    private func resume(_ transfer: Transfer, _ change: (RunningTransfer) -> Void) {
        guard let found = find(transfer) else { return }
        change(found)
        // May call back at once, and pause again.
        curl_easy_pause(found.easy.pointer, found.pauses)
    }

    private func finishEnded() {
        var code = CURLE_OK
        while let handle = nhe_curl_next_ended(multi, &code) {
            guard let ended = running[handle] else { continue }
            if ended.wantsAddresses, ended.addresses == nil {
                curl_multi_remove_handle(multi, handle)
                lookUp(for: ended)
                continue
            }
            finish(ended, with: ended.isComplete(code) ? nil : ended.error(for: code))
        }
    }

    /// Ends it, whatever it was doing, and resumes the task that waits for it.
    private func finish(_ ended: RunningTransfer, with error: TransferError?) {
        let outcome = ended.outcome(error)
        ended.lookup?.cancel()
        // The connection may go on with another transfer.
        ended.request.meter?.detach()
        curl_multi_remove_handle(multi, ended.easy.pointer)
        running[ended.easy.pointer] = nil
        users = users.filter { $0.value != ended.easy.pointer }
        // One that failed early keeps its buffer, and then takes no other size (CURLOPT_BUFFERSIZE).
        if error == nil, idle.count < Self.idleLimit {
            ended.easy.reset()
            idle.append(ended.easy)
        }
        ended.transfer.download?.finish()
        ended.continuation.resume(returning: outcome)
    }

    /// When the loop ends a transfer.
    ///
    /// A lookup ends at its own deadline and says why: a limit of this machine is no failure of the network.
    private func end(of transfer: RunningTransfer) -> ContinuousClock.Instant {
        transfer.transfer.deadline + (transfer.lookup == nil ? .zero : Self.lookupGrace)
    }

    /// Ends those whose time is over, which counts from the call of `perform`.
    private func endLate(at now: ContinuousClock.Instant) {
        for late in running.values.filter({ end(of: $0) <= now }) {
            finish(late, with: late.error(.timeout, "not complete in time"))
        }
    }

    /// In milliseconds, rounded up.
    private var timeUntilDeadline: Int32 {
        let now = ContinuousClock.now
        return running.values.lazy.map { self.end(of: $0) }.min().map { now.duration(to: $0).wholeMilliseconds } ?? .max
    }

    /// In the next turn, since libcurl is calling back in this one.
    func resumeSending(_ transfer: Transfer) {
        mailbox.post(.resumeSending(transfer), isFollowUp: true)
    }

    /// Notes a new socket and whose it is.
    func opened(_ socket: Int32, by transfer: RunningTransfer) -> LoopSocket {
        users[socket] = transfer.easy.pointer
        return sockets.add(socket)
    }

    /// Notes that it uses a kept connection.
    func used(_ socket: LoopSocket, by transfer: RunningTransfer) {
        if let number = socket.number { users[number] = transfer.easy.pointer }
    }

    /// Called before a connection is closed.
    func close(_ socket: Int32) {
        let user = users.removeValue(forKey: socket).flatMap { running[$0] }
        user?.readStatistics(of: socket)
        sockets.close(socket, rest: user.map(\.rest) ?? 0)
    }
}
