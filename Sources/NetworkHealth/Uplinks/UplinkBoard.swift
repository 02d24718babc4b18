package import NetworkPath
package import Posix
package import Probing

/// All uplinks of this host: which is in use, which work, and what has been counted; a value, with the time as a parameter.
package struct UplinkBoard: Sendable {
    package typealias Instant = SuspendingClock.Instant

    /// Uplinks that are known; of more, the first ones.
    package static let limit = 8

    package private(set) var plan: UplinkPlan
    var records: [UplinkRecord] = []
    /// The uplink in use, else the last one that was.
    private var primary: String?
    /// nil before the first.
    private var ways: [WayOut]?
    private var health: HealthState?
    /// Those of the uplink in use.
    private var inside = InsideSwitches()
    /// Those over the way in use.
    private var answers = PublicAddresses()
    /// The way that the path leads over; nil without one.
    private var current: WayOut?
    private var standby = StandbyOutages()

    package init(_ plan: UplinkPlan) { self.plan = plan }

    /// Whether there was ever more than one: from then on each has all its series.
    package var hasSeveral: Bool { records.count > 1 }

    package mutating func apply(_ plan: UplinkPlan) { self.plan = plan }

    /// Decides anew by what the kernel and the path say now.
    ///
    /// - Parameters:
    ///   - ways: those of this moment; nil: those of the last call.
    ///   - health: of this moment; nil: that of the last call.
    ///   - now: not before that of the last call.
    /// - Returns: what has happened, in its order.
    package mutating func update(
        _ ways: [WayOut]? = nil,
        _ health: HealthState? = nil,
        at now: Instant
    ) -> [UplinkEvent] {
        if let health { take(health, at: now) }
        self.ways = ways?.keepingNetworks(of: self.ways ?? []) ?? self.ways
        let health = self.health
        guard let ways = self.ways else { return [] }
        let lastWay = records.first { $0.name == primary }?.way
        let role = UplinkRole(health?.path, ways)
        follow(role)
        let (names, doubtful) = assignNames(ways, role, at: now)
        var events: [UplinkEvent] = []
        var newPrimary: String?
        for index in records.indices {
            let way = names[records[index].name]
            let use = way.map(role.use) ?? .standby
            let isPrimary = way != nil && way == role.primary
            if isPrimary { newPrimary = records[index].name }
            let isLost = records[index].follow(
                way,
                use,
                isPrimary: isPrimary,
                use != .alone && doubtful.contains(records[index].name)
                    ? .unrecognized : obstacle(way, records[index].rule, role),
                health,
                at: now
            )
            records[index].expectRound(within: interval(of: records[index]), at: now)
            if isLost { events += lost(records[index]) }
        }
        if let newPrimary, newPrimary != primary, health?.isSettling == false {
            // The configuration may have given another name to the same one.
            let isSame = lastWay.flatMap { last in role.primary.map(last.isSame) } ?? false
            if let last = primary, !isSame, let index = records.firstIndex(where: { $0.name == newPrimary }) {
                records[index].switches += 1
                events.append(UplinkEvent(.switched(from: last), newPrimary, at: now))
            }
            primary = newPrimary
            if !isSame { inside = InsideSwitches() }
        }
        standby.follow(records, primary: primary, at: now)
        return events
    }

    /// What was answered over one way says nothing about another.
    private mutating func follow(_ role: UplinkRole) {
        let primary = health.flatMap { Uplink($0.path) } == nil ? nil : role.primary
        if let primary, let current, primary.isSame(as: current) {
            self.current = primary
        } else {
            (current, answers) = (primary, PublicAddresses())
        }
    }

    /// Takes the public addresses of one family that were answered over an uplink; empty: they are not known any more.
    package mutating func take(
        _ networks: Set<IPAddress>,
        of family: AddressFamily,
        over uplink: Uplink,
        at now: Instant
    ) -> [UplinkEvent] {
        guard let path = health?.path, Uplink(path) == uplink, current != nil, answers[family] != networks else {
            return []
        }
        answers[family] = networks
        return update(at: now)
    }

    private mutating func take(_ new: HealthState, at now: Instant) {
        if let last = health, let gap = new.gap, gap != last.gap {
            standby.missed(gap.length, until: now)
            for index in records.indices { records[index].skip(gap.length, until: now) }
            resumed(at: now)
        }
        health = new
    }

    private func lost(_ record: UplinkRecord) -> [UplinkEvent] {
        guard hasSeveral, let cause = record.cause, let since = record.downSince else { return [] }
        return [UplinkEvent(.lost(cause), record.name, at: since)]
    }

    /// nil: it can be probed, or need not be.
    private func obstacle(_ way: WayOut?, _ rule: UplinkRule?, _ role: UplinkRole) -> UplinkObstacle? {
        guard let way, way.isUsable, !way.routers.isEmpty else { return .absent }
        if role.use(of: way) == .alone { return nil }
        if case .blocked(let obstacle) = way.access { return .kernel(obstacle) }
        if rule == nil, role.isTunnel, !way.interface.isTunnel { return .tunnel }
        if way.isConstrained { return .constrained }
        return plan.addresses.isEmpty || rule?.standbyInterval == .zero ? .disabled : nil
    }

    /// Takes a sign that the way behind the router of the path has changed; in a tunnel, and with several uplinks in use, it says nothing about one of them.
    package mutating func take(_ sign: InsideSwitches.Sign, at now: Instant) -> [UplinkEvent] {
        guard let index = records.firstIndex(where: { $0.name == primary && $0.isPrimary && $0.use == .alone }),
            records[index].way?.interface.isTunnel == false, inside.take(sign, at: now)
        else { return [] }
        records[index].switchesInside[sign.source, default: 0] += 1
        return [UplinkEvent(.switchedInside(sign.source), records[index].name, at: now)]
    }

    // MARK: Names

    /// The names of the ways out: those of the rules, else the device's; a second router of a device is named beside it.
    ///
    /// `doubtful`: those of rules of which it is not known whether one of the ways is theirs. A device with that name may have it meanwhile.
    private mutating func assignNames(
        _ ways: [WayOut],
        _ role: UplinkRole,
        at now: Instant
    ) -> (names: [String: WayOut], doubtful: Set<String>) {
        for index in records.indices where !plan.rules.contains(where: { $0.name == records[index].name }) {
            records[index].rule = nil
        }
        var (names, rest) = ([String: WayOut](), ways)
        let (answers, rules) = (answers, plan.rules)
        func verdict(_ rule: UplinkRule, _ way: WayOut) -> Bool? {
            rule.matches(way, way == role.primary && role.use(of: way) == .alone ? answers : nil)
        }
        func take(_ name: String, where isMatching: (WayOut) -> Bool) {
            guard names[name] == nil, let index = rest.firstIndex(where: isMatching) else { return }
            names[name] = rest.remove(at: index)
        }
        var doubtful: Set<String> = []
        for rule in rules {
            take(rule.name) { verdict(rule, $0) == true }
            if names[rule.name] == nil, rest.contains(where: { $0.leads && verdict(rule, $0) == nil }) {
                doubtful.insert(rule.name)
            }
            if let way = names[rule.name] { rename(way, as: rule.name) }
            record(rule.name, rule, at: now)
        }
        // One that was there keeps its name while another one of its device comes or goes.
        for record in records where record.rule == nil {
            take(record.name) { way in record.way.map(way.isSame) ?? false }
        }
        // A way that is left does not get the name of a rule that is known not to match it, even where its device has that name.
        for way in rest where !way.routers.isEmpty {
            func isRefused(_ name: String) -> Bool { rules.contains { $0.name == name && verdict($0, way) == false } }
            let device = way.interface.name
            let beside = way.router.map { "\(device) \($0)" } ?? (isRefused(device) ? "\(device) (other)" : device)
            let free = [device, beside].first { names[$0] == nil && !isRefused($0) }
            guard let name = free else { continue }
            names[name] = way
            record(name, nil, Set(names.keys), at: now)
        }
        return (names, doubtful)
    }

    /// What was known without a rule has the name of the rule from now on.
    private mutating func rename(_ way: WayOut, as name: String) {
        guard !records.contains(where: { $0.name == name }),
            let index = records.firstIndex(where: { $0.rule == nil && $0.way.map(way.isSame) ?? false })
        else { return }
        if primary == records[index].name { primary = name }
        records[index].rename(name)
    }

    /// `names`: those that are given already, whose records may be new.
    private mutating func record(_ name: String, _ rule: UplinkRule?, _ names: Set<String> = [], at now: Instant) {
        if let index = records.firstIndex(where: { $0.name == name }) {
            if rule != nil { records[index].rule = rule }
            return
        }
        if records.count == Self.limit {
            // The counters of one that is gone end where there is no room.
            let unnamed = records.indices.filter { records[$0].rule == nil }
            let free = unnamed.first { records[$0].way == nil && !names.contains(records[$0].name) }
            guard let gone = free ?? (rule == nil ? nil : unnamed.last) else { return }
            records.remove(at: gone)
        }
        var record = UplinkRecord(name, at: now)
        record.rule = rule
        records.append(record)
    }

    // MARK: Probes

    /// Whether rounds may begin: there is a standby, and it is known which one that is.
    private var isReady: Bool { hasSeveral && health.map { !$0.isSettling } ?? false }

    /// The rounds that begin now.
    package mutating func start(at now: Instant) -> [Turn] {
        guard isReady else { return [] }
        return records.indices.compactMap { index in
            guard records[index].start(at: now), let binding = records[index].binding else { return nil }
            return Turn(name: records[index].name, binding: binding, epoch: records[index].epoch, began: now)
        }
    }

    /// Whether what the kernel says still is what the turn is bound to.
    package func isCurrent(_ turn: Turn) -> Bool {
        records.contains { $0.name == turn.name && $0.epoch == turn.epoch && $0.binding == turn.binding }
    }

    /// Takes the result of a round.
    package mutating func finish(_ turn: Turn, _ round: UplinkRound, at now: Instant) -> [UplinkEvent] {
        guard let index = records.firstIndex(where: { $0.name == turn.name }) else { return [] }
        let interval = interval(of: records[index])
        let isLost = records[index].finish(round, of: turn.epoch, began: turn.began, every: interval, at: now)
        standby.follow(records, primary: primary, at: now)
        return isLost ? lost(records[index]) : []
    }

    /// What else can show whether the addresses themselves answer: another uplink; nil in the list: the path in use.
    ///
    /// nil: none is needed, as the path is known not to reach the internet either.
    package func witnesses(against turn: Turn) -> [UplinkBinding?]? {
        if health?.isOnline == false { return nil }
        guard let record = records.first(where: { $0.name == turn.name }) else { return [] }
        if record.use == .standby { return [nil] }
        return records.filter { $0.name != turn.name && $0.isOnline == true }.compactMap(\.binding).map(Optional.some)
    }

    private func interval(of record: UplinkRecord) -> Duration {
        let isExpensive = self.isExpensive(record) ?? false
        let least = isExpensive ? UplinkPlan.leastExpensiveInterval : .zero
        return record.rule?.standbyInterval.map { max($0, least) }
            ?? (isExpensive ? UplinkPlan.expensiveInterval : UplinkPlan.interval)
    }

    private func isExpensive(_ record: UplinkRecord) -> Bool? {
        record.rule?.isExpensive ?? record.way?.isExpensive
    }

    /// When something is due; nil: only an event changes anything.
    package var deadline: Instant? {
        records.flatMap { [$0.deadline, isReady && !$0.isProbing ? $0.dueAt : nil] }.compactMap(\.self).min()
    }

    // MARK: Out

    /// The name that a rule gives the uplink of a measurement, in a tunnel the one below it; nil: none does, or it is not in use.
    package func name(of uplink: Uplink) -> String? {
        records.first { record in
            record.rule != nil && record.way?.interface.name == uplink.label
                && (uplink.underlay == nil ? record.isPrimary : record.isActive)
        }?.name
    }

    /// The outages of standbys that have begun or ended since the last call, in their order.
    package mutating func takeOutages() -> [UplinkOutage] { standby.take() }

    /// All uplinks that were ever known, those of the configuration first; `gap`: the last one, whose state may not have been taken yet.
    package func reports(at now: Instant, after gap: DatedGap? = nil) -> [UplinkReport] {
        records.map { record in
            var record = record
            if let gap, health != nil, gap != health?.gap { record.skip(gap.length, until: now) }
            record.settle(at: now)
            var report = UplinkReport(record, isExpensive: record.hasRoute ? isExpensive(record) : nil)
            report.isPrimary = record.isPrimary && record.name == primary
            return report
        }
    }
}
