package import Statistics

/// The name servers of the path, and when each is asked next: a pure value.
///
/// Times are relative to an origin of the caller. One question to each server at a time.
struct ResolverTable: Sendable, Timetable {
    /// A question to send.
    struct Turn: Sendable, Equatable {
        /// As it is configured.
        var address: String
        var server: ProbeContext.Gateway
        var name: String
        /// The number of the uplink that it is about.
        var uplink: UInt64
    }

    /// What became of a question.
    enum Outcome: Sendable, Equatable {
        /// - Parameter isError: the server has no answer itself.
        case answered(after: Duration, isError: Bool)
        case silent
        /// This machine could not ask.
        case unsent
    }

    private struct Track: Sendable {
        let server: ProbeContext.Gateway
        var report: ResolverReport
        var due: Duration
        var askedAt: Duration?
        var isAsked = false
        /// How many of the last questions had no answer in time, in a row.
        var oddities = 0

        mutating func add(_ outcome: Outcome, at now: ContinuousClock.Instant) {
            switch outcome {
            case .answered(let time, let isError):
                report.window.push(time, at: now)
                (report.isUp, report.duration) = (!isError, time)
                oddities = time >= ResolverTable.slow ? oddities + 1 : 0
            case .silent:
                report.window.push(nil, at: now)
                (report.isUp, report.duration) = (false, nil)
                oddities += 1
            case .unsent: break
            }
        }
    }

    /// How long glibc waits for an answer (resolv.conf(5), `timeout`).
    static let timeout = Duration.seconds(5)
    /// An answer that takes so long is looked into.
    static let slow = Duration.seconds(1)
    /// While something is wrong.
    static let troubleInterval = Duration.seconds(60)
    /// After a question without an answer in time, until it is known whether that lasts.
    static let doubtInterval = Duration.seconds(5)
    static let doubtQuestions = 6
    /// glibc asks three.
    static let mostServers = 4

    private var configuration: ResolverPlan
    private var mode = HopMode.calm
    private var path: InternetPath?
    private var lastUplink: InternetPath.Uplink?
    private var uplink: UInt64 = 0
    private var tracks: [Track] = []

    init(_ configuration: ResolverPlan) { self.configuration = configuration }

    /// When the next question is due; nil: not before a change.
    var next: Duration? { isAsking ? tracks.filter { !$0.isAsked }.map(\.due).min() : nil }

    /// Of the servers that are asked, in the order of use; none while none is.
    var reports: [ResolverReport] { isAllowed ? tracks.map(\.report) : [] }

    /// A speed test fills the line: what is lost or late then says nothing about a server.
    private var isAsking: Bool { isAllowed && mode != .speedTest }
    private var isAllowed: Bool {
        let (expensive, constrained) = (configuration.runsOnExpensive, configuration.runsOnConstrained)
        return configuration.name != nil
            && path?.allowsProbes(onExpensive: expensive, onConstrained: constrained) ?? false
    }

    mutating func apply(_ configuration: ResolverPlan, at now: Duration) {
        guard configuration != self.configuration else { return }
        self.configuration = configuration
        for index in tracks.indices { tracks[index].due = now }
    }

    /// Takes another path and the name servers that apply, as they are configured.
    mutating func change(_ path: InternetPath, servers: [String], at now: Duration) {
        self.path = path
        if path.isSatisfied, path.uplink != lastUplink {
            lastUplink = path.uplink
            uplink += 1
            tracks = []
        }
        let known = tracks
        tracks = []
        for address in servers where tracks.count < Self.mostServers {
            guard let server = ProbeContext.Gateway(address), tracks.allSatisfy({ $0.server != server }) else {
                continue
            }
            tracks.append(
                known.first { $0.report.address == address }
                    ?? Track(server: server, report: ResolverReport(address: address), due: now)
            )
        }
    }

    /// Takes another mode: what was silent may answer now, and what answered may be silent.
    mutating func change(_ mode: HopMode, at now: Duration) {
        guard mode != self.mode else { return }
        self.mode = mode
        for index in tracks.indices {
            tracks[index].oddities = 0
            let earliest = tracks[index].askedAt.map { $0 + Self.doubtInterval } ?? now
            tracks[index].due = min(tracks[index].due, max(now, earliest))
        }
    }

    /// Takes the questions that are due.
    mutating func start(at now: Duration) -> [Turn] {
        guard isAsking, let name = configuration.name else { return [] }
        return tracks.indices.compactMap { index in
            guard !tracks[index].isAsked, tracks[index].due <= now else { return nil }
            (tracks[index].isAsked, tracks[index].askedAt) = (true, now)
            let track = tracks[index]
            return Turn(address: track.report.address, server: track.server, name: name, uplink: uplink)
        }
    }

    /// Takes the outcome of a question, unless the uplink is another one now, or the server is no longer configured.
    mutating func finish(_ turn: Turn, _ outcome: Outcome, at now: ContinuousClock.Instant) {
        guard turn.uplink == uplink, let index = tracks.firstIndex(where: { $0.report.address == turn.address }),
            let askedAt = tracks[index].askedAt
        else { return }
        tracks[index].isAsked = false
        if mode != .speedTest { tracks[index].add(outcome, at: now) }
        tracks[index].due = askedAt + interval(of: tracks[index])
    }

    private func interval(of track: Track) -> Duration {
        switch track.oddities {
        case 1..<Self.doubtQuestions: Self.doubtInterval
        case 0 where mode == .calm: configuration.interval
        default: min(configuration.interval, Self.troubleInterval)
        }
    }
}

/// Which name servers are asked, how often, and for what.
package struct ResolverPlan: Sendable, Equatable {
    /// Between two questions to a server while nothing is wrong.
    package var interval: Duration = .seconds(300)
    /// Whether they are asked on an expensive path, and on a constrained one.
    package var runsOnExpensive = false
    package var runsOnConstrained = false
    /// Whose IPv4 address is asked for; nil: nothing is asked.
    package var name: String?

    package init() {}
}

/// What a configured name server has answered on this path; a value, made by its questions.
package struct ResolverReport: Sendable, Equatable {
    /// As it is configured: a link-local address with its zone.
    package let address: String
    /// The last questions: how long the answer took, whatever it was, or nil for none.
    package var window = OutcomeWindow(capacity: 100)
    /// Whether the answer to the last question was without an error; nil: none has ended yet.
    package var isUp: Bool?
    /// How long the answer to the last question took; nil: there was none.
    package var duration: Duration?

    package init(address: String) { self.address = address }
}
