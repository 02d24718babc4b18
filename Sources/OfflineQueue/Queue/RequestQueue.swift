import Coordination
public import FoundationEssentials
package import Storage

/// Keeps requests until they are delivered: through outages, restarts and a kill at any instant.
///
/// ```swift
/// let queue = RequestQueue(path: "/var/lib/app/queue.db", online: NetworkMonitor.shared.connectivity)
/// let deliveries = queue.deliveries
/// Task { await queue.run() }
/// let id = try await queue.cacheRequest(endpoint: url, method: "POST", body: body, requestType: "order")
/// for await delivery in deliveries { print(delivery.request.requestType, delivery.response.statusCode) }
/// ```
///
/// A request is accepted once it is on the disk. From then on it is sent, while the network is there, until a server answers
/// with 2xx: at least once, and possibly twice if the process is killed between answer and note. Requests with the same
/// ordering key are delivered one after the other in the order of their acceptance. Those to one host without a key are sent one
/// at a time in that order too, but one that waits for its next try, or for its requirement, lets the others pass.
///
/// A request leaves the queue undelivered when the server refuses it (4xx except 408, 425 and 429), when as many answers failed
/// it as it allows, or when it is too old. Only an answer counts: an outage uses up no tries. Between two tries it waits up to
/// 0.5 s × 2ⁿ, at random, 5 minutes at most, and at least as long as the server asks (`Retry-After`). The other requests to its
/// host without a key then wait too, a minute at most without `Retry-After`, until an answer ends the wait of the host.
public final class RequestQueue: Sendable {
    let machine: Locked<QueueMachine>
    let opening: QueueOpening
    let sender: any RequestSender
    let baseURL: URL?
    let stopwatch: Stopwatch
    let date: @Sendable () -> Date
    /// When the stopwatch was started, by the clock of that moment.
    let began: Date
    let alarm: Alarm
    let isSatisfied: (@Sendable (String) -> Bool)?
    /// Called after each change has been taken up.
    let onChange: @Sendable () -> Void
    let followNetwork: @Sendable (_ isOnline: @Sendable (Bool) -> Void) async -> Void
    let delivered = Broadcast(ofEvents: Delivery.self)
    let isRunning = Locked(false)
    /// Requests that have left the queue, but not the file, because it could not be written.
    let removed = Locked<[QueueStore.Removal]>([])

    /// A queue in a file, which is made where there is none.
    ///
    /// The file is opened beside the caller. Where it cannot be opened, each use throws, and ``failure`` says why.
    ///
    /// - Parameters:
    ///   - path: The SQLite file, in a folder that exists; one process uses it at a time.
    ///   - online: Whether requests can be sent, such as `NetworkMonitor.shared.connectivity`; nothing is sent before its first
    ///     value.
    ///   - sender: Sends the requests.
    ///   - baseURL: For requests with a relative endpoint; its path is kept.
    ///   - limits: What the queue holds at most.
    ///   - isSatisfied: Whether a request's ``RetryableRequest/requirement`` holds now; nil: requests with one are refused. Called
    ///     before each try, and every 5 seconds while one is not satisfied.
    public convenience init(
        path: String,
        online: some AsyncSequence<Bool, Never> & Sendable,
        sender: any RequestSender = HTTPRequestSender(),
        baseURL: URL? = nil,
        limits: QueueLimits = QueueLimits(),
        isSatisfied: (@Sendable (_ requirement: String) -> Bool)? = nil
    ) {
        self.init(
            .file(path),
            online: online,
            sender: sender,
            baseURL: baseURL,
            limits: limits,
            isSatisfied: isSatisfied
        )
    }

    /// A queue in a database that also has other tables: its migrations include ``migrations``.
    package convenience init(
        database: Database,
        online: some AsyncSequence<Bool, Never> & Sendable,
        sender: any RequestSender,
        limits: QueueLimits = QueueLimits(),
        isSatisfied: (@Sendable (String) -> Bool)? = nil,
        onChange: @escaping @Sendable () -> Void = {},
        clock: some Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            .database(database),
            online: online,
            sender: sender,
            limits: limits,
            isSatisfied: isSatisfied,
            onChange: onChange,
            clock: clock,
            date: date
        )
    }

    private init(
        _ place: QueueOpening.Place,
        online: some AsyncSequence<Bool, Never> & Sendable,
        sender: any RequestSender,
        baseURL: URL? = nil,
        limits: QueueLimits,
        isSatisfied: (@Sendable (String) -> Bool)?,
        onChange: @escaping @Sendable () -> Void = {},
        clock: some Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        let machine = Locked(QueueMachine(limits: limits))
        let stopwatch = Stopwatch(clock)
        self.machine = machine
        self.sender = sender
        self.baseURL = baseURL
        self.stopwatch = stopwatch
        self.date = date
        began = date()
        self.isSatisfied = isSatisfied
        self.onChange = onChange
        alarm = Alarm(stopwatch)
        followNetwork = { update in for await isOnline in online { update(isOnline) } }
        opening = QueueOpening(place) { store in
            let entries = try await store.entries(at: QueueMoment(now: stopwatch.elapsed, date: date()))
            machine.withLock { machine in
                for entry in entries { machine.add(entry, isNew: false) }
            }
        }
    }

    /// The names of its tables: a backup leaves their rows out.
    package static var tables: [String] { QueueStore.tables }

    /// The statements that make its tables.
    package static var definition: String { QueueStore.definition }

    /// The tables of a file of its own.
    package static let schema = Schema(version: 1, tables: [definition])

    /// Why the file cannot be used; nil while it can.
    public var failure: OfflineError? { opening.failure }

    /// Whether the file has been read, so that ``statistics`` has what is stored.
    package var isOpen: Bool { opening.isOpen }

    /// What the queue holds and what it did, from memory; nothing is pending before the file is open.
    public var statistics: QueueStatistics { machine.read { $0.statistics(now: stopwatch.elapsed) } }

    /// Every later delivery, with the answer of its server, until the reader's task ends.
    ///
    /// A delivery is in here when it has left the file. Take it before ``run()``, which may deliver at once what an earlier process left.
    /// For a reader that stops, the newest 4096 are kept.
    public var deliveries: some AsyncSequence<Delivery, Never> & Sendable { delivered.values() }

    /// The accepted requests in order, those that are being sent included; empty where the file cannot be read (``failure``).
    public var pendingRequests: [RetryableRequest] {
        get async {
            guard let requests = try? await opening.store().requests() else { return [] }
            // One may have left the queue, but not the file.
            return machine.withLock { machine in
                requests.compactMap { request in
                    machine.entry(request.id).map { request.copy(retryCount: $0.retryCount) }
                }
            }
        }
    }

    /// Ends the use of the file, which another queue may then open; later calls throw.
    public func close() async {
        delivered.finish()
        if let store = try? await opening.store() { await store.database.close() }
    }
}
