import HTTPTransfer
import Locking
import Statistics

/// The load of one direction: streams that move bytes, probes beside them, and a timer that decides.
struct LoadRun: Sendable {
    let direction: Direction
    let dialect: any SpeedTestDialect
    let transport: any SpeedTestTransport
    let traffic: TrafficMeter
    let options: SpeedTestOptions
    let idle: IdleLatency?
    let deviceBytes: HTTPMeasurement.DeviceBytes?
    /// When it is over, whatever has been measured.
    let wall: ContinuousClock.Instant

    private let start: ContinuousClock.Instant
    private let book: LoadBook
    private let allowance: ByteAllowance
    private let probes = Locked(LoadedProbes())
    private let counts = Locked<[ServerCount]>([])
    /// Of all uploads together.
    private let id = DialectRequest.token()

    /// What a small request and its answer cost at most.
    private static let probeCost: UInt64 = 2048
    private static let probeTimeout = Duration.seconds(3)
    private static let failuresInARow = 3

    init(
        _ direction: Direction,
        _ dialect: any SpeedTestDialect,
        _ measurement: HTTPMeasurement,
        idle: IdleLatency?,
        wall: ContinuousClock.Instant
    ) {
        self.direction = direction
        self.dialect = dialect
        transport = measurement.transport
        traffic = measurement.traffic
        options = measurement.options
        deviceBytes = measurement.deviceBytes
        self.idle = idle
        self.wall = wall
        start = .now
        let largest = dialect.largest
        book = LoadBook(direction, start: start, largest: direction == .download ? largest.download : largest.upload)
        allowance = ByteAllowance(limit: options.byteLimit[direction])
    }

    /// How it went.
    private struct Outcome {
        var plan: LoadPlan
        var ending: Result<LoadPlan.Ending, SpeedTestFailure>
        var before: Surroundings?
        var after: Surroundings?
    }

    func run(progress: @Sendable (SpeedTestProgress) -> Void) async throws(SpeedTestFailure) -> DirectionReport {
        // The probes' connection stands before the load comes.
        _ = try await ping(onNewConnection: false)
        let outcome = await withTaskGroup(of: Void.self) { group in
            let outcome = await drive(&group, progress: progress)
            group.cancelAll()
            return outcome
        }
        traffic.update()
        return try report(outcome)
    }

    // MARK: The timer

    private func drive(
        _ group: inout TaskGroup<Void>,
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async -> Outcome {
        var plan = LoadPlan(share: options.byteLimit[direction], length: options.window)
        var display = ProgressRate(direction, window: options.window.upperBound)
        var outcome = Outcome(plan: plan, ending: .success(.stalled))
        addStreams(StreamRamp.initial, to: &group)
        while true {
            try? await Task.sleep(for: plan.interval(bytesPerSecond: display.bytesPerSecond))
            let sample = book.end ?? book.sample()
            traffic.update()
            display.add(sample)
            progress(display.progress)
            switch plan.take(sample, isExhausted: book.end != nil) {
            case nil: break
            case .addStreams(let count): addStreams(count, to: &group)
            case .measure:
                outcome.before = surroundings(at: sample.time)
                addProbes(to: &group)
            case .end(let ending):
                outcome.ending = .success(ending)
                outcome.after = surroundings(at: sample.time)
                outcome.plan = plan
                return outcome
            }
            if let failure = interruption {
                outcome.ending = .failure(failure)
                outcome.plan = plan
                return outcome
            }
        }
    }

    /// Why it cannot go on.
    private var interruption: SpeedTestFailure? {
        if Task.isCancelled { return SpeedTestFailure(.cancelled, "the \(direction.rawValue) was cancelled") }
        if let failure = book.failure { return failure }
        guard ContinuousClock.now >= wall else { return nil }
        return SpeedTestFailure(.timeout, "the \(direction.rawValue) has not ended in time")
    }

    // MARK: The load

    private func addStreams(_ count: Int, to group: inout TaskGroup<Void>) {
        for index in 0..<count {
            book.streamBegan()
            group.addTask {
                // Else their slow starts meet.
                try? await Task.sleep(for: .milliseconds(50 * index))
                await stream()
            }
        }
    }

    /// One request after the other.
    private func stream() async {
        var failures: [SpeedTestFailure] = []
        while !Task.isCancelled {
            let bytes = allowance.take(upTo: book.largest, streams: book.streams.alive)
            guard bytes > 0 else {
                book.exhausted()
                return
            }
            do throws(SpeedTestFailure) {
                try await carry(bytes)
                failures = []
            } catch {
                guard !Task.isCancelled, error.reason != .cancelled else { return }
                failures.append(error)
                // What ended the first one tells more than that nobody is there any more.
                guard failures.count < Self.failuresInARow else { return book.streamFailed(failures[0]) }
                try? await Task.sleep(for: .milliseconds(100 << failures.count))
            }
        }
    }

    private func carry(_ bytes: UInt64) async throws(SpeedTestFailure) {
        let request =
            direction == .download ? dialect.download(bytes: bytes) : dialect.upload(bytes: bytes, id: id)
        let meter = TransferMeter(limit: direction == .download ? bytes : nil)
        book.begin(meter)
        defer {
            let moved = direction == .download ? meter.received : meter.sent
            allowance.giveBack(bytes - min(bytes, moved))
            traffic.add(meter)
        }
        do throws(SpeedTestFailure) {
            let response = try await transport.carry(request, direction, bytes: bytes, meter: meter)
            if let failure = SpeedTestFailure(refusal: response, of: request) {
                if response.isBusy { book.refused(failure) }
                if response.status == 413 { book.shrink() }
                throw failure
            }
            try check(meter, asked: bytes, request)
            book.end(meter, counts: true)
        } catch {
            // One that was cancelled at the end was good until then.
            book.end(meter, counts: error.reason == .cancelled)
            throw error
        }
    }

    /// A server may give less than was asked for, but an error page is no load.
    private func check(
        _ meter: TransferMeter,
        asked bytes: UInt64,
        _ request: SpeedTestRequest
    ) throws(SpeedTestFailure) {
        switch direction {
        case .download:
            guard meter.received < min(bytes, 65_536) else { return }
            throw SpeedTestFailure(.short, "\(request.url) brought \(meter.received) bytes instead of \(bytes)")
        case .upload:
            guard meter.sent < bytes else { return }
            throw SpeedTestFailure(.short, "\(request.url) answered after \(meter.sent) of \(bytes) bytes")
        }
    }

    // MARK: The probes

    private func addProbes(to group: inout TaskGroup<Void>) {
        group.addTask {
            await often(.milliseconds(100)) {
                let answer = try? await ping(onNewConnection: false)
                guard !Task.isCancelled else { return }
                let time = answer.map { dialect.latency(of: $0) } ?? Self.probeTimeout
                probes.withLock { $0.same.append(time) }
            }
        }
        group.addTask {
            await often(.seconds(1)) {
                guard let answer = try? await ping(onNewConnection: true), let connect = answer.connectDuration else {
                    return
                }
                let probe = LoadedProbes.Foreign(
                    connect: connect,
                    tls: answer.handshakeDuration,
                    http: dialect.latency(of: answer)
                )
                probes.withLock { $0.foreign.append(probe) }
            }
        }
        guard direction == .upload, let request = dialect.counters(id: id) else { return }
        group.addTask {
            await often(.milliseconds(200)) {
                guard let answer = try? await transport.ask(request), answer.status == 200,
                    let count = ServerCount(answer.body)
                else { return }
                counts.withLock { $0.append(count) }
            }
        }
    }

    /// Until the load ends, or nothing is left to be asked for.
    private func often(_ pause: Duration, _ body: () async -> Void) async {
        while !Task.isCancelled, allowance.take(exactly: Self.probeCost) {
            await body()
            try? await Task.sleep(for: pause)
        }
    }

    private func ping(onNewConnection isNew: Bool) async throws(SpeedTestFailure) -> SpeedTestResponse {
        var request = dialect.ping()
        request.timeout = Self.probeTimeout
        let response = try await transport.ask(request, onNewConnection: isNew)
        if let failure = SpeedTestFailure(refusal: response, of: request) { throw failure }
        return response
    }

    // MARK: The result

    private func surroundings(at time: Duration) -> Surroundings {
        Surroundings(
            time: time,
            processor: transport.processorTime,
            device: deviceBytes?().map { direction == .download ? $0.received : $0.transmitted }
        )
    }

    private func report(_ outcome: Outcome) throws(SpeedTestFailure) -> DirectionReport {
        let ending = try outcome.ending.get()
        let name = direction.rawValue
        if ending == .stalled { throw SpeedTestFailure(.timeout, "nothing moved any more in the \(name)") }
        guard let window = outcome.plan.window,
            WindowRule.isUsable(
                window.duration,
                ending: ending,
                shortest: options.window.lowerBound,
                roundTrip: idle?.latency
            ), window.bytesPerSecond >= WindowRule.leastRate
        else {
            let (bytes, time) = (outcome.plan.window?.bytes ?? 0, outcome.plan.window?.duration ?? .zero)
            throw SpeedTestFailure(.short, "the \(name) moved \(bytes) bytes in \(time) after its warm-up: too little")
        }
        var report = DirectionReport(
            bytesPerSecond: window.bytesPerSecond,
            bytes: window.bytes,
            window: window.duration,
            isStable: window.isStable,
            accounting: direction == .download ? .receiver : .acknowledged,
            streams: book.streams.alive
        )
        if let counted = ServerCount.between(counts.withLock { $0 }, atLeast: window.duration / 2) {
            report.bytes = counted.bytes
            report.window = counted.time
            report.bytesPerSecond = Double(counted.bytes) / counted.time.seconds
            report.accounting = .receiver
        }
        let probes = probes.withLock { $0 }
        report.loadedLatency = probes.latency
        report.responsiveness = probes.responsiveness
        report.congestionControl = book.congestionControl
        if ending == .dataCap { report.limits.insert(.dataCap) }
        if book.streams.failed > 0 { report.limits.insert(.server) }
        if let before = outcome.before, let after = outcome.after {
            report.limits.formUnion(after.limits(since: before, ours: window.bytes))
        }
        return report
    }
}
