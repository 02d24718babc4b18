import Netlink
import Posix

/// The recorded state and the sockets that keep it true: it receives the kernel's events and reads the kernel's tables.
struct NetlinkState: ~Copyable {
    /// The result of reading events.
    struct Received {
        var counts: [PathStatistics.RawEvent: UInt64] = [:]
        /// An event may have moved the path.
        var isDirty = false
        /// Messages were lost or unreadable: everything must be read again.
        var isLost = false
    }

    /// A walk of a large routing table may take this share of one core: 1/20.
    private static let routeDumpShare = 20
    /// The pause after a walk of 3 s.
    ///
    /// One that takes longer was interrupted, for example because this process was stopped.
    private static let longestRoutesPause = Duration.seconds(60)
    /// Events taken at a time; what is left keeps the socket readable.
    private static let maxBatch = 512
    private static let maxDrained = 16_384

    var state = RawState()
    /// When the default routes may be read again; nil unless a refresh had to postpone that.
    private(set) var routesDueAt: SuspendingClock.Instant?
    /// Whether the last reading of everything saw one state: false if changes interrupted each try.
    private(set) var isConsistent = true
    private var events: EventSocket
    private var requests: RequestSocket
    private var routesReadableAt: SuspendingClock.Instant?
    private var drift = DriftDetector()
    let sysfsRoot: String

    /// Joins the event groups; `resync` comes next, so that no change falls between.
    init(_ configuration: PathConfiguration) throws(NetlinkError) {
        let events = try EventSocket(receiveBuffer: Int32(clamping: configuration.receiveBuffer))
        requests = try RequestSocket()
        self.events = events
        sysfsRoot = configuration.sysfsRoot
    }

    /// For `poll`: readable when there are events.
    var number: Int32 { events.number }

    /// Dumps that a change interrupted, so far.
    var interruptedDumps: UInt64 { requests.interruptedDumps }

    /// Records all events that have arrived.
    mutating func receive(at now: SuspendingClock.Instant) throws(NetlinkError) -> Received {
        var received = Received()
        var isMore = true
        var taken = 0
        // After an overrun the kernel drops events until the socket is empty, so it is drained before anything is read.
        while isMore && taken < (received.isLost ? Self.maxDrained : Self.maxBatch) {
            taken += 1
            var batch: [RouteEvent] = []
            do throws(NetlinkError) {
                isMore = try events.receive { batch.append($0) }
            } catch .system(let error) {
                throw .system(error)
            } catch {
                received.isLost = true
            }
            for event in batch {
                if let kind = PathStatistics.RawEvent(event) { received.counts[kind, default: 0] += 1 }
                if state.apply(event, at: now) { received.isDirty = true }
            }
        }
        return received
    }

    /// Reads links, addresses and default routes as a whole.
    mutating func resync(at now: SuspendingClock.Instant) throws(NetlinkError) {
        state = try readState(at: now)
        state.areRoutesStale = false
    }

    /// Reads everything and compares it with what events had reported.
    ///
    /// - Parameters:
    ///   - isSettled: whether all events are evaluated and none were lost; before that a difference is no drift.
    ///   - now: the time.
    /// - Returns: the verdict.
    /// - Throws: what goes wrong with the socket.
    mutating func checkForDrift(
        isSettled: Bool,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) -> DriftDetector.Verdict {
        let read = try readState(at: now)
        guard isSettled, isConsistent, !state.areRoutesStale else { return .none }
        return drift.verdict(read: read, reported: state, at: now)
    }

    /// Reads what an evaluation needs and no event reports: the way to the anchors, the files.
    mutating func refresh(_ configuration: PathConfiguration, at now: SuspendingClock.Instant) throws(NetlinkError) {
        routesDueAt = nil
        if state.areRoutesStale {
            if let readable = routesReadableAt, now < readable {
                routesDueAt = readable
            } else {
                state.replaceDefaultRoutes(try defaultRoutes())
                if state.areRoutesStale { routesDueAt = routesReadableAt }
            }
        }
        for (family, anchor) in configuration.policy.anchors {
            state.lookups[family] = try answer { (requests) throws(NetlinkError) in try requests.lookup(anchor) }
            let entry = try answer { (requests) throws(NetlinkError) in try requests.lookupEntry(anchor) }
            state.nextHops[family] = if case .route(let route) = entry, route.hops.count > 1 { route.hops } else { nil }
        }
        state.nameservers = Resolvers.nameservers(configuration)
        state.radios = Radio.all(sysfsRoot: sysfsRoot)
        readFacts()
    }

    /// Reads those of devices that events have voided.
    private mutating func readFacts() {
        lazy var sessions = PPPoESessions.count()
        for index in state.takeUnknownDevices() {
            guard let link = state.links[index] else { continue }
            var facts = DeviceFacts(of: link.name, index: index, sysfsRoot: sysfsRoot)
            if facts.hasDevice, !facts.isWireless {
                facts.maxSpeed =
                    ask { (drivers) throws(NetlinkError) in try drivers.linkModes(interfaceIndex: index) }?
                    .maxSpeed
            }
            if facts.isWireless {
                facts.ssid =
                    ask { (drivers) throws(NetlinkError) in try drivers.wirelessInterface(interfaceIndex: index) }?
                    .network
            }
            if link.isPPP { facts.isPPPoE = state.isPPPoE(link, ofSessions: sessions) }
            state.deviceFacts[index] = facts
        }
    }

    /// Asks the kernel about the ways out of this host; addresses, routes and files are as they were refreshed last.
    ///
    /// - Parameters:
    ///   - configuration: what to ask for.
    ///   - seen: the devices that have had a default route.
    /// - Returns: them, by what the kernel answers now.
    /// - Throws: what goes wrong with the socket.
    mutating func waysOut(
        _ configuration: PathConfiguration,
        seen: inout Set<Int32>
    ) throws(NetlinkError) -> [WayOut] {
        readFacts()
        let candidates = WayOutSurvey.candidates(in: state, seen: &seen)
        var answers: [WayOutSurvey.Question: RouteLookup] = [:]
        for candidate in candidates {
            for question in WayOutSurvey.questions(about: candidate, in: state, configuration.policy) {
                answers[question] = try answer { (requests) throws(NetlinkError) in
                    question.isEntry
                        ? try requests.lookupEntry(
                            question.destination,
                            interfaceIndex: question.device,
                            source: question.source
                        )
                        : try requests.lookup(
                            question.destination,
                            interfaceIndex: question.device,
                            source: question.source
                        )
                }
            }
        }
        let strict = candidates.map(\.index).filter { index in
            guard let name = state.links[index]?.name else { return false }
            return ReversePathFilter.isStrict(name, sysctlRoot: configuration.sysctlRoot)
        }
        let survey = WayOutSurvey(
            state: state,
            policy: configuration.policy,
            answers: answers,
            strictDevices: Set(strict)
        )
        return survey.waysOut(candidates)
    }

    /// The radio link of a Wi-Fi device; nil without one, and where the driver does not say.
    func station(index: Int32) -> WirelessStation? {
        ask { (drivers) throws(NetlinkError) in try drivers.station(interfaceIndex: index) }
    }

    /// Asks a driver; nil where it does not answer, which is no reason to lose the path.
    ///
    /// With a socket of its own, since that is seldom.
    private func ask<Answer>(_ question: (inout RequestSocket) throws(NetlinkError) -> Answer?) -> Answer? {
        do throws(NetlinkError) {
            var drivers = try RequestSocket.generic()
            return try question(&drivers)
        } catch {
            return nil
        }
    }

    /// A device with its counters; nil when it is gone.
    ///
    /// Its state is recorded like an event's: the kernel may announce a lost carrier up to a second later
    /// (net/core/link_watch.c).
    mutating func counters(
        index: Int32,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) -> (link: Link, isDirty: Bool)? {
        guard let link = try requests.linkStatistics(index: index) else { return nil }
        return (link, state.links[index] != nil && state.apply(.link(link), at: now))
    }

    /// The state as it would be if it were read as a whole now.
    private mutating func readState(at now: SuspendingClock.Instant) throws(NetlinkError) -> RawState {
        let links = try requests.links()
        let addresses = try requests.addresses()
        let routes = try defaultRoutes()
        isConsistent = links.isConsistent && addresses.isConsistent && routes.isConsistent
        var read = state
        read.resynchronise(links: links.elements, addresses: addresses.elements, routes: routes.elements, at: now)
        return read
    }

    /// A kernel without one of the families refuses to look it up: then it has no route.
    private mutating func answer(
        _ ask: (inout RequestSocket) throws(NetlinkError) -> RouteLookup
    ) throws(NetlinkError) -> RouteLookup? {
        do throws(NetlinkError) {
            return try ask(&requests)
        } catch .kernel {
            return nil
        }
    }

    private mutating func defaultRoutes() throws(NetlinkError) -> Dump<Route> {
        let began = SuspendingClock.now
        var routes = try requests.defaultRoutes(family: .ipv4)
        let ipv6 = try requests.defaultRoutes(family: .ipv6)
        routes.elements += ipv6.elements
        routes.isConsistent = routes.isConsistent && ipv6.isConsistent
        let ended = SuspendingClock.now
        routesReadableAt = ended + Self.routesPause(after: began.duration(to: ended))
        return routes
    }

    /// How long the routing table is not walked again after a walk that took so long.
    static func routesPause(after walk: Duration) -> Duration { min(walk * routeDumpShare, longestRoutesPause) }
}

/// Distinguishes drift, a difference between the kernel's tables and what its events reported, from a change in progress.
///
/// The kernel shows some changes before it announces them, so a difference counts when it is still the same later, with no event in
/// between.
struct DriftDetector {
    enum Verdict {
        case none
        /// There is a difference: check again after `confirmation`.
        case suspected
        /// The same difference was there for so long.
        case drift
        /// There was another difference before: things are moving.
        case moving
    }

    /// How long a difference may last before it is drift: a lost carrier is announced up to a second later (net/core/link_watch.c).
    static let confirmation = Duration.milliseconds(1500)

    private var suspect: (read: RawState.Records, reported: RawState.Records, since: SuspendingClock.Instant)?

    /// Compares what was just read with what events had reported.
    mutating func verdict(read: RawState, reported: RawState, at now: SuspendingClock.Instant) -> Verdict {
        var (read, reported) = (read.records, reported.records)
        // The kernel announces an address of IPv6 once no other host has it, which takes up to 2 s for one probe (RFC 4862, 5.4;
        // net/ipv6/addrconf.c).
        for (key, address) in read.addresses where address.isTentative {
            (read.addresses[key], reported.addresses[key]) = (nil, nil)
        }
        guard read != reported else {
            suspect = nil
            return .none
        }
        guard let before = suspect else {
            suspect = (read, reported, now)
            return .suspected
        }
        guard (before.read, before.reported) == (read, reported) else {
            suspect = nil
            return .moving
        }
        guard now >= before.since + Self.confirmation else { return .suspected }
        suspect = nil
        return .drift
    }
}
