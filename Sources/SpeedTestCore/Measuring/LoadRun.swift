import Coordination
import HTTPTransfer
import Posix
import Statistics

/// The load of one direction: streams that move bytes, probes beside them, and a timer that decides.
struct LoadRun: Sendable {
    let direction: Direction
    let dialect: any SpeedTestDialect
    let transport: any SpeedTestTransport
    let traffic: TrafficMeter
    let options: SpeedTestOptions
    let idle: IdleLatency?
    /// When it ends, whatever has been measured.
    let wall: ContinuousClock.Instant

    private let start: ContinuousClock.Instant
    /// The bytes of the test before this direction.
    private let bytesBefore: UInt64
    private let duplicates = DuplicateSegments()
    let load: LoadAccounting
    let allowance: ByteAllowance
    let probes = Locked(LoadedProbes())
    let counts = Locked<[ServerCount]>([])
    /// The name of all uploads of this load.
    let id = SpeedTestRequest.token()

    private static let failuresInARow = 3
    /// Of an upload that has to be answered before larger ones are sent, since those are not: the load ends them.
    private static let firstUpload: UInt64 = 16_384
    /// Of an answer that is not the load.
    private static let answerLimit: UInt64 = 65_536

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
        self.idle = idle
        self.wall = wall
        start = .now
        let largest = dialect.largest
        load = LoadAccounting(
            direction,
            start: start,
            largest: direction == .download ? largest.download : largest.upload
        )
        allowance = ByteAllowance(limit: options.byteLimit[direction].map(SpeedTestBudget.payload))
        bytesBefore = traffic.account.bytes.total
    }

    /// How the load ended.
    struct Outcome {
        var plan: LoadPlan
        var ending: Result<LoadPlan.Ending, SpeedTestFailure>
        var before: HostCounters?
        var after: HostCounters?
    }

    func run(progress: @Sendable (SpeedTestProgress) -> Void) async throws(SpeedTestFailure) -> DirectionReport {
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
            // The pace of the samples.
            try? await Task.sleep(for: plan.interval(bytesPerSecond: display.bytesPerSecond))
            traffic.update()
            if isUsedUp(bytesPerSecond: display.bytesPerSecond, within: plan) { load.exhausted() }
            let (sample, lost) = load.sample()
            if !lost.isEmpty {
                plan.remove(lost)
                display.remove(lost)
            }
            display.add(sample)
            progress(display.progress)
            let (isProbed, loaded) = probes.withLock { ($0.hasEnded, $0.same.upperQuartile) }
            allowance.reserve(bytesPerSecond: display.bytesPerSecond, roundTrip: loaded ?? idle?.latency)
            let isLimited = { outcome.before.map { hostCounters(at: sample.time).isCPUBound(since: $0) } ?? false }
            switch plan.take(sample, isExhausted: load.isExhausted, isProbed: isProbed, isLimited: isLimited) {
            case nil: break
            case .addStreams(let count): addStreams(count, to: &group)
            case .measure:
                outcome.before = hostCounters(at: sample.time)
                addProbes(to: &group)
            case .end(let ending):
                outcome.ending = .success(ending)
                if let failure = load.objection(to: ending, plan.window) { outcome.ending = .failure(failure) }
                (outcome.after, outcome.plan) = (hostCounters(at: sample.time), plan)
                return outcome
            }
            if let failure = interruption {
                // The window until the wall may be long enough.
                let isLongEnough = failure.reason == .timeout && plan.window != nil
                let objection = isLongEnough ? load.objection(to: .measured, plan.window) : failure
                outcome.ending = objection.map { .failure($0) } ?? .success(.measured)
                (outcome.after, outcome.plan) = (hostCounters(at: sample.time), plan)
                return outcome
            }
        }
    }

    /// Whether the next sample may be beyond the share: headers and repetitions are no part of a request's bytes.
    private func isUsedUp(bytesPerSecond rate: Double?, within plan: LoadPlan) -> Bool {
        guard let share = options.byteLimit[direction] else { return false }
        let next = UInt64(min(max(0, rate ?? 0) * plan.interval(bytesPerSecond: rate).seconds, 0x1p62))
        let used = traffic.account.bytes.total - bytesBefore
        return used.addingSaturated(next).addingSaturated(allowance.reserved) >= share
    }

    /// Why the load cannot continue.
    private var interruption: SpeedTestFailure? {
        if Task.isCancelled { return SpeedTestFailure(.cancelled, "the \(direction.rawValue) was cancelled") }
        if let failure = load.failure { return failure }
        guard ContinuousClock.now >= wall else { return nil }
        return SpeedTestFailure(.timeout, "the \(direction.rawValue) did not end in time")
    }

    // MARK: The load

    private func addStreams(_ count: Int, to group: inout TaskGroup<Void>) {
        for index in 0..<count {
            load.streamBegan()
            group.addTask {
                // Apart, so that their slow starts do not coincide.
                try? await Task.sleep(for: .milliseconds(50 * index))
                await stream()
            }
        }
    }

    /// One request after the other, until the load ends.
    private func stream() async {
        var failures: [SpeedTestFailure] = []
        while !Task.isCancelled, !load.isExhausted {
            let isFirst = direction == .upload && !load.hasSucceeded
            let wanted = isFirst ? Self.firstUpload : load.largest
            let bytes = allowance.take(upTo: wanted, streams: load.streams.alive)
            guard bytes > 0 else {
                load.exhausted()
                return
            }
            do throws(SpeedTestFailure) {
                try await carry(bytes)
                failures = []
            } catch {
                guard !Task.isCancelled, error.reason != .cancelled else { return }
                failures.append(error)
                // The first failure has the cause; the later ones may only follow from it.
                guard failures.count < Self.failuresInARow else { return load.streamFailed(failures[0]) }
                // Longer after each, so that a server that refuses is not flooded.
                try? await Task.sleep(for: .milliseconds(100 << failures.count))
            }
        }
    }

    private func carry(_ bytes: UInt64) async throws(SpeedTestFailure) {
        let request =
            direction == .download ? dialect.download(bytes: bytes) : dialect.upload(bytes: bytes, id: id)
        let meter = TransferMeter(onReceive: { meter, count in wantsMore(of: meter, after: count, asked: bytes) })
        load.begin(meter)
        defer {
            let moved = direction == .download ? meter.received : meter.sent
            allowance.giveBack(bytes - min(bytes, moved))
            traffic.add(meter)
        }
        do throws(SpeedTestFailure) {
            let response = try await transport.carry(request, direction, bytes: bytes, meter: meter)
            if let failure = SpeedTestFailure(refusal: response, of: request) {
                if response.isBusy { load.refused(failure) }
                guard response.status == 413, load.shrink(from: bytes) else { throw failure }
                return load.end(meter, .tooLarge(failure))
            }
            try check(response, meter, asked: bytes, request)
            load.end(meter, load.isExhausted ? .stopped : .success)
        } catch {
            load.end(meter, error.reason == .cancelled ? .stopped : .failure(error))
            throw error
        }
    }

    /// Whether more of an answer may come: a little of an error or a page, anything else until the byte limit ends the load.
    private func wantsMore(of meter: TransferMeter, after count: Int, asked bytes: UInt64) -> Bool {
        let received = meter.received
        if direction == .download, !LoadAnswer.isLoad(status: meter.status, contentType: meter.header("Content-Type")) {
            return received <= Self.answerLimit
        }
        let covered = direction == .download ? bytes : Self.answerLimit
        guard received > covered, !allowance.take(more: min(UInt64(count), received - covered)) else { return true }
        load.exhausted()
        return false
    }

    private func check(
        _ response: SpeedTestResponse,
        _ meter: TransferMeter,
        asked bytes: UInt64,
        _ request: SpeedTestRequest
    ) throws(SpeedTestFailure) {
        switch direction {
        case .download:
            let answer = LoadAnswer(response, received: meter.received)
            if let flaw = answer.flaw(asked: dialect.size(ofDownload: bytes)) {
                throw SpeedTestFailure(flaw.reason, "\(request.url) \(flaw.message)")
            }
        case .upload:
            guard meter.sent < bytes else { return }
            throw SpeedTestFailure(.short, "\(request.url) answered after \(meter.sent) of \(bytes) bytes")
        }
    }
}

extension LoadRun {
    /// The counters of this moment.
    func hostCounters(at time: Duration) -> HostCounters {
        let thread = transport.threadTime
        return HostCounters(
            time: time,
            busy: thread?.busy,
            traffic: HostCounters.Traffic(direction, of: traffic.account),
            contention: .read(for: thread)
        )
    }

    /// The result of the load.
    func report(_ outcome: Outcome) throws(SpeedTestFailure) -> DirectionReport {
        let ending = try outcome.ending.get()
        let name = direction.rawValue
        if ending == .stalled {
            throw SpeedTestFailure(.timeout, "the \(name) stalled: no byte moved for several seconds")
        }
        guard let window = outcome.plan.window, let mean = window.mean,
            WindowRule.isUsable(
                window.duration,
                ending: ending,
                shortest: options.window.lowerBound,
                roundTrip: idle?.latency
            ), let bytes = payload(of: mean, in: window)
        else {
            let (bytes, time) = (outcome.plan.window?.bytes ?? 0, outcome.plan.window?.duration ?? .zero)
            throw SpeedTestFailure(.short, "the \(name) moved \(bytes) bytes in \(time) after its warm-up: too little")
        }
        var report = DirectionReport(
            rate: BitRate(bytesPerSecond: Double(bytes) / mean.duration.seconds),
            bytes: bytes,
            window: mean.duration,
            uncertainty: mean.uncertainty
        )
        report.accounting = direction == .download ? .receiver : .acknowledged
        report.streams = load.streams.alive
        // The server has counted those of failed uploads too.
        if window.lost == 0, let counted = ServerCount.between(counts.withLock { $0 }, atLeast: window.duration / 2) {
            report.uncertainty = counted.uncertainty(beside: report.rate.bytesPerSecond, mean.uncertainty)
            report.bytes = counted.payload(nil)
            report.window = counted.duration
            report.rate = BitRate(bytesPerSecond: counted.bytesPerSecond)
            report.accounting = .receiver
        }
        let probes = probes.withLock { $0 }
        report.loadedLatency = probes.latency
        report.responsiveness = probes.responsiveness
        report.congestionControl = load.congestionControl
        if ending == .dataCap { report.limits.insert(.dataCap) }
        if load.streams.failed > 0 || window.lost > 0 { report.limits.insert(.server) }
        if let before = outcome.before, let after = outcome.after {
            after.judge(&report, direction, since: before)
        }
        return report
    }

    /// The bytes of bodies; nil where the line counts as broken.
    private func payload(of mean: MeanRate, in window: SteadyWindow) -> UInt64? {
        let share = load.payloadShare.value(duplicates: duplicates.count, of: window.end.segments ?? 0)
        let bytes = mean.payload(share)
        return Double(bytes) >= WindowRule.minRate * mean.duration.seconds ? bytes : nil
    }
}
