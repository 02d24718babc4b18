import Netlink
import Posix

/// The kernel's side of the loop: hears its events, asks its tables, and keeps the recorded state true.
struct Kernel: ~Copyable {
    /// What came of reading events.
    struct Received {
        /// Something happened that may have moved the path.
        var isDirty = false
        /// Messages were lost or unreadable: everything must be read again.
        var isLost = false
    }

    /// A walk of a large routing table may take this share of one core: 1/20.
    private static let routeDumpShare = 20

    private var events: EventSocket
    private var requests: RequestSocket
    private let facts: DeviceFactsReader
    private let radios: RadioReader
    private(set) var state = RawState()
    /// Default routes may have gone without a word (a link went down, an address or a next hop was deleted).
    private(set) var areRoutesStale = true
    private var routesReadableAt: SuspendingClock.Instant?
    private var areRoutesPostponed = false
    /// Whether the last reading of everything saw one state: false if changes interrupted every try.
    private(set) var isConsistent = true
    /// Events taken at a time; what is left keeps the socket readable.
    private static let batchLimit = 512
    private static let emptyingLimit = 16_384

    /// Joins the event groups; `resync` comes next, so that nothing falls between.
    init(_ configuration: PathConfiguration) throws(NetlinkError) {
        let events = try EventSocket(receiveBuffer: Int32(clamping: configuration.receiveBuffer))
        requests = try RequestSocket()
        self.events = events
        facts = DeviceFactsReader(sysfsRoot: configuration.sysfsRoot)
        radios = RadioReader(sysfsRoot: configuration.sysfsRoot)
    }

    /// For `poll`: readable when there are events.
    var number: Int32 { events.number }

    /// When the default routes may be read again; nil unless a refresh had to leave them as they were.
    var routesDueAt: SuspendingClock.Instant? { areRoutesPostponed ? routesReadableAt : nil }

    /// Dumps that a change interrupted, so far.
    var interruptedDumps: UInt64 { requests.interruptedDumps }

    /// Takes all events that have arrived.
    mutating func receive(
        at now: SuspendingClock.Instant,
        count: (PathStatistics.RawEvent) -> Void
    ) throws(NetlinkError) -> Received {
        var received = Received()
        var isMore = true
        var taken = 0
        // After an overrun the kernel drops on until the socket is empty, so it is emptied before anything is read again.
        while isMore && taken < (received.isLost ? Self.emptyingLimit : Self.batchLimit) {
            taken += 1
            var batch: [RouteEvent] = []
            do throws(NetlinkError) {
                isMore = try events.receive { batch.append($0) }
            } catch .system(let error) {
                throw .system(error)
            } catch {
                received.isLost = true
            }
            for event in batch where apply(event, at: now, count: count) { received.isDirty = true }
        }
        return received
    }

    /// Reads links, addresses and default routes as a whole.
    mutating func resync(at now: SuspendingClock.Instant) throws(NetlinkError) {
        state = try readState(at: now)
        areRoutesStale = false
    }

    /// What the state would be if it were read as a whole now.
    mutating func readState(at now: SuspendingClock.Instant) throws(NetlinkError) -> RawState {
        let links = try requests.links()
        let addresses = try requests.addresses()
        let routes = try defaultRoutes()
        isConsistent = links.isConsistent && addresses.isConsistent && routes.isConsistent
        var read = state
        _ = read.resynchronise(
            links: links.elements,
            addresses: addresses.elements,
            routes: routes.elements,
            at: now
        )
        return read
    }

    /// Asks all that an evaluation needs and no event tells: the way to the anchors, what sysfs says of new devices.
    mutating func refresh(anchors: [AddressFamily: IPAddress], at now: SuspendingClock.Instant) throws(NetlinkError) {
        areRoutesPostponed = false
        if areRoutesStale {
            if let readable = routesReadableAt, now < readable {
                areRoutesPostponed = true
            } else {
                let routes = try defaultRoutes()
                state.replaceDefaultRoutes(routes.elements)
                areRoutesStale = !routes.isConsistent
                areRoutesPostponed = areRoutesStale
            }
        }
        for family in AddressFamily.allCases {
            guard let anchor = anchors[family] else { continue }
            state.lookups[family] = try answer { (requests) throws(NetlinkError) in try requests.lookup(anchor) }
            let entry = try answer { (requests) throws(NetlinkError) in try requests.lookupEntry(anchor) }
            state.legs[family] = if case .route(let route) = entry, !route.legs.isEmpty { route.legs } else { nil }
        }
        state.radios = radios.read()
        for index in state.relevantLinks where state.deviceFacts[index] == nil {
            guard let link = state.links[index] else { continue }
            state.deviceFacts[index] = facts.read(name: link.name, index: index)
        }
    }

    /// A device with its counters; nil when it is gone.
    ///
    /// What it says of the link's state is not lost: the kernel may announce a carrier's loss up to a second later
    /// (net/core/link_watch.c).
    mutating func counters(
        index: Int32,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) -> (link: Link, isNews: Bool)? {
        guard let link = try requests.linkStatistics(index: index) else { return nil }
        let isNews = state.links[index] != nil && state.upsert(link, at: now)
        if isNews { forgetWhatFollows(from: index) }
        return (link, isNews)
    }

    mutating func set(_ resolvers: Resolvers) { state.resolvers = resolvers }

    mutating func set(_ facts: NetworkManagerFacts?) { state.networkManager = facts }

    /// A kernel without one of the families refuses to look it up: then there is no way for it.
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
        routesReadableAt = ended + began.duration(to: ended) * Self.routeDumpShare
        return routes
    }

    /// A rename, a new carrier: what sysfs says may be different, and default routes may be gone.
    private mutating func forgetWhatFollows(from link: Int32) {
        state.deviceFacts[link] = nil
        areRoutesStale = true
    }

    /// Applies one event; true if it may have moved the path.
    private mutating func apply(
        _ event: RouteEvent,
        at now: SuspendingClock.Instant,
        count: (PathStatistics.RawEvent) -> Void
    ) -> Bool {
        switch event {
        case .link(let link):
            count(.link)
            // Wireless drivers repeat themselves; only what differs counts.
            guard state.upsert(link, at: now) else { return false }
            forgetWhatFollows(from: link.index)
        case .linkDeleted(let index):
            count(.link)
            areRoutesStale = true
            return state.deleteLink(index)
        case .address(let address):
            count(.address)
            return state.upsert(address)
        case .addressDeleted(let address):
            count(.address)
            areRoutesStale = true
            return state.delete(address)
        case .route(let route):
            count(.route)
            // An event does not say whether it replaced another route.
            if route.destinationLength == 0 { areRoutesStale = true }
            _ = state.upsert(route)
        case .routeDeleted(let route):
            count(.route)
            _ = state.delete(route)
        case .rule:
            count(.rule)
        case .nexthop:
            count(.nexthop)
            areRoutesStale = true
        case .ndUserOption:
            // A router's word about resolvers, which somebody may have written down.
            return true
        case .other:
            return false
        }
        return true
    }
}
