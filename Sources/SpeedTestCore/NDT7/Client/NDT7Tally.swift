import Statistics

/// The measurements of a run so far, and the report that follows from them.
struct NDT7Tally {
    /// Why a run ended.
    enum End: Equatable {
        case stable, full, byteLimit, wall
        /// The other side closed the WebSocket or the connection.
        case closed
        case broken(String)
    }

    let direction: Direction
    private let options: SpeedTestOptions
    private let timing: NDT7Timing
    private(set) var window: NDT7Window
    /// Of a download.
    private var share = PayloadShare()
    private var serverCounts = NDT7ServerCounts()
    /// Under load, within the window.
    private var roundTrips: [Duration] = []
    private var serversCongestionControl: String?
    /// When the window began.
    private var before: HostCounters?
    /// How long our kernel had something to send, when the window began and at the last sample.
    private var sending: (begin: Duration, end: Duration)?

    /// A rate is a lower bound if our kernel had nothing to send for more than this share of an upload's window.
    ///
    /// The thread that supplies it waited for a processor, and so much is missing from the rate.
    private static let starvedShare = 0.02

    init(_ direction: Direction, options: SpeedTestOptions, timing: NDT7Timing) {
        self.direction = direction
        self.options = options
        self.timing = timing
        // The server ends after the nominal time.
        let longest = max(options.window.lowerBound, min(options.window.upperBound, NDT7.nominalDuration))
        let length = options.window.lowerBound...longest
        window = NDT7Window(length: length, byteLimit: options.byteLimit[direction], timing: timing)
    }

    /// Takes a measurement of the server.
    ///
    /// - Parameters:
    ///   - message: its measurement.
    ///   - time: since the handshake.
    ///   - written: bytes of load sent so far.
    ///   - held: bytes that the server has by its acknowledgements, those beyond a lost segment included.
    ///   - beyondHole: the maximum of the latter since the last measurement.
    mutating func add(
        _ message: NDT7Message,
        at time: Duration,
        written: UInt64,
        held: UInt64,
        beyondHole: UInt64
    ) {
        guard direction == .download else {
            serverCounts.add(message, arrival: time, written: written, held: held, beyondHole: beyondHole)
            return
        }
        serversCongestionControl = message.connection?.congestionControl ?? serversCongestionControl
        // The sender's smoothed round trip, which includes the load's own queue; longer than an hour is not a round
        // trip.
        if window.begin != nil, roundTrips.count < NDT7ServerCounts.limit, let rtt = message.tcp?.rtt,
            (1...3_600_000_000).contains(rtt)
        {
            roundTrips.append(.microseconds(rtt))
        }
    }

    /// Takes a reading of the counters.
    ///
    /// - Parameters:
    ///   - bytes: received payload in a download, acknowledged bytes in an upload.
    ///   - segments: of a download, what has arrived (`TCPCounters.segments`); nil: not counted.
    ///   - segmentSize: the payload of a full one (`TCPCounters.segmentSize`).
    ///   - time: since the handshake.
    ///   - roundTrip: of our own kernel, used in an upload.
    ///   - sent: how long our kernel had something to send or to be acknowledged (tcpi_busy_time); nil: not known.
    ///   - counters: of this host; evaluated only where the window begins, since they are read from files.
    /// - Returns: why the run ends; nil: it continues.
    mutating func sample(
        bytes: UInt64,
        segments: UInt64? = nil,
        segmentSize: UInt64 = 0,
        at time: Duration,
        roundTrip: Duration?,
        sending sent: Duration? = nil,
        counters: @autoclosure () -> HostCounters
    ) -> End? {
        if direction == .download { share.add(delivered: bytes, segments: segments, segmentSize: segmentSize) }
        let sample = LoadSample(time: time, bytes: bytes, segments: share.isSound ? segments : nil)
        let verdict = window.add(sample)
        guard window.begin != nil else { return nil }
        sending = sent.map { (sending?.begin ?? $0, $0) }
        before = before ?? counters()
        if direction == .upload, let roundTrip, window.duration > .zero { roundTrips.append(roundTrip) }
        switch verdict {
        case .goOn: return nil
        case .stable: return .stable
        case .full: return .full
        }
    }

    /// - Parameters:
    ///   - end: why the run has ended.
    ///   - host: for messages.
    ///   - congestionControl: of our own connection.
    ///   - counters: of this host, now.
    ///   - duplicates: the segments that arrived twice.
    /// - Returns: the result of the window.
    /// - Throws: where the window is too short.
    func report(
        _ end: End,
        host: String,
        congestionControl: String?,
        counters: HostCounters,
        duplicates: UInt64 = 0
    ) throws(SpeedTestFailure) -> DirectionReport {
        guard window.duration >= required(after: end), let mean = window.mean else { throw failure(end, host) }
        let share = share.value(duplicates: duplicates, of: window.end.segments ?? 0)
        var (bytes, length) = (mean.payload(share), mean.duration)
        var accounting = direction == .download ? DirectionReport.Accounting.receiver : .acknowledged
        if direction == .upload, let begin = window.begin,
            let counted = serverCounts.total(since: begin.time, length: length)
        {
            (bytes, length) = counted
            accounting = .receiver
        }
        guard bytes > 0 else { throw SpeedTestFailure(.short, "\(host): no byte arrived in \(length)") }
        var report = DirectionReport(
            rate: BitRate(bytesPerSecond: Double(bytes) / length.seconds),
            bytes: bytes,
            window: length,
            uncertainty: mean.uncertainty
        )
        (report.accounting, report.streams) = (accounting, 1)
        if roundTrips.count >= 8 { report.loadedLatency = roundTrips.upperQuartile }
        report.congestionControl = direction == .upload ? congestionControl : serversCongestionControl
        if end == .byteLimit { report.limits.insert(.dataCap) }
        if direction == .upload, let sending,
            window.duration - (sending.end - sending.begin) > window.duration * Self.starvedShare
        {
            report.limits.insert(.cpu)
        }
        if let before { counters.judge(&report, direction, since: before) }
        return report
    }

    private func required(after end: End) -> Duration {
        switch end {
        case .stable, .full: timing.sample
        case .byteLimit: min(timing.shortestCapped, options.window.lowerBound)
        case .wall, .closed, .broken: min(timing.shortestCut, options.window.lowerBound)
        }
    }

    private func failure(_ end: End, _ host: String) -> SpeedTestFailure {
        let measured = "after \(window.end.time.seconds) s, of which \(window.duration.seconds) s count"
        return switch end {
        case .stable, .full, .closed: SpeedTestFailure(.short, "\(host) ended the \(direction) \(measured)")
        case .byteLimit: SpeedTestFailure(.short, "the byte limit ended the \(direction) \(measured)")
        case .wall: SpeedTestFailure(.timeout, "\(host): the time limit ended the \(direction) \(measured)")
        case .broken(let message): SpeedTestFailure(.reset, "\(message), \(measured)")
        }
    }
}

/// The server's counts of an upload, which a sender should prefer to its own, within limits.
struct NDT7ServerCounts {
    private struct Entry {
        /// When the message arrived, on our clock.
        var arrival: Duration
        /// On the server's clock.
        var elapsed: Duration
        /// What it had in order then, by its own count.
        var bytes: UInt64
        /// What it had when the message arrived, by its acknowledgements; nil where nothing was beyond a lost segment.
        var held: UInt64?
    }

    private var entries: [Entry] = []

    /// The messages that are kept of a direction.
    ///
    /// A server sends about four a second, and one that is wrong as many as the line carries.
    static let limit = 10_000

    /// Takes a message; one whose count falls, or exceeds what was sent, is ignored, and so are those beyond the limit.
    ///
    /// - Parameters:
    ///   - message: its TCPInfo counts, else the application's count.
    ///   - arrival: since our handshake.
    ///   - written: bytes of load sent so far.
    ///   - held: bytes that it has by its acknowledgements, those beyond a lost segment included: its kernel counts
    ///     them only when the hole is filled, many at once.
    ///   - beyondHole: the maximum of the latter since the last message.
    mutating func add(
        _ message: NDT7Message,
        arrival: Duration,
        written: UInt64,
        held: UInt64,
        beyondHole: UInt64
    ) {
        let pair: (elapsed: Int64, bytes: Int64)
        var held = beyondHole > 0 ? held : nil
        if let tcp = message.tcp, let elapsed = tcp.elapsedTime, let bytes = tcp.bytesReceived {
            pair = (elapsed, bytes)
        } else if let application = message.application {
            pair = (application.elapsedTime, application.byteCount)
            // Acknowledgements count the headers of its messages and of TLS, too: no more than what is beyond the hole is added.
            held = held.map { min($0, UInt64(clamping: pair.bytes).addingSaturated(beyondHole)) }
        } else {
            return
        }
        // TLS and the handshake add to the written bytes.
        let (tenth, overhead) = (written / 10, UInt64(65_536))
        guard pair.elapsed > 0, let bytes = UInt64(exactly: pair.bytes), bytes <= written &+ tenth &+ overhead,
            pair.elapsed < 3_600_000_000, entries.count < Self.limit
        else { return }
        let entry = Entry(arrival: arrival, elapsed: .microseconds(pair.elapsed), bytes: bytes, held: held)
        if let last = entries.last, entry.elapsed <= last.elapsed || entry.bytes < last.bytes { return }
        entries.append(entry)
    }

    /// The bytes between the first message since `start` and the last one; nil unless these are at least half of
    /// `length` apart.
    ///
    /// Acknowledgements are those of the moment when a message arrives, and a message may be on its way for longer than they are: by the
    /// server's clock that moment is the arrival less the shortest time that a message took.
    func total(since start: Duration, length: Duration) -> (bytes: UInt64, duration: Duration)? {
        guard let first = entries.first(where: { $0.arrival >= start }), let last = entries.last,
            let shortest = entries.map({ $0.arrival - $0.elapsed }).min()
        else { return nil }
        func sample(_ entry: Entry) -> LoadSample {
            guard let held = entry.held, held > entry.bytes else {
                return LoadSample(time: entry.elapsed, bytes: entry.bytes)
            }
            return LoadSample(time: entry.arrival - shortest, bytes: held)
        }
        let (begin, end) = (sample(first), sample(last))
        let duration = end.time - begin.time
        guard duration > .zero, duration >= length / 2, end.bytes >= begin.bytes else { return nil }
        return (end.bytes - begin.bytes, duration)
    }
}
