import Lab
import Posix
import Testing

@testable import Probing

struct HopScheduleTests {
    /// A schedule with a path and what its hops have answered, driven second by second.
    private struct Course {
        var schedule: HopSchedule
        var reports: [AddressFamily: HopReport] = [:]
        var now = Duration.zero
        /// The rounds so far: their time, and the distances of each family.
        var rounds: [(at: Duration, turns: [HopSchedule.Turn])] = []

        init(
            _ families: Set<AddressFamily> = [.ipv4],
            isExpensive: Bool = false,
            isConstrained: Bool = false,
            _ configure: (inout HopConfiguration) -> Void = { _ in }
        ) {
            var configuration = HopConfiguration()
            configure(&configuration)
            schedule = HopSchedule(configuration)
            change(families, isExpensive: isExpensive, isConstrained: isConstrained, isNewUplink: true)
        }

        mutating func change(
            _ families: Set<AddressFamily>,
            isExpensive: Bool = false,
            isConstrained: Bool = false,
            isNewUplink: Bool
        ) {
            let path = InternetPath(
                generation: 1,
                isSatisfied: !families.isEmpty,
                isExpensive: isExpensive,
                isConstrained: isConstrained,
                families: families
            )
            schedule.change(path, isNewUplink: isNewUplink, at: now)
        }

        /// Lets the first so many hops answer.
        mutating func know(_ count: Int, end: Int? = nil, _ family: AddressFamily = .ipv4) {
            var report = HopReport(family: family)
            report.hops = (1...count).map { distance in
                var hop = HopReport.Hop(distance: distance)
                hop.addresses = [IPAddress.unspecified(family)]
                return hop
            }
            report.end = end
            reports[family] = report
        }

        /// Runs until a time, waking when the schedule asks for it.
        @discardableResult
        mutating func run(until end: Duration) -> [(at: Duration, turns: [HopSchedule.Turn])] {
            let first = rounds.count
            while let next = schedule.next, next <= end {
                now = max(now, next)
                let turns = schedule.due(at: now, knowing: reports)
                if !turns.isEmpty { rounds.append((now, turns)) }
            }
            now = end
            return Array(rounds[first...])
        }

        /// Of the rounds of a time, the pauses between them.
        func pauses(_ family: AddressFamily = .ipv4, from start: Duration, to end: Duration) -> Set<Duration> {
            let times = rounds.filter { $0.at >= start && $0.at <= end && $0.turns.contains { $0.family == family } }
            return Set(zip(times, times.dropFirst()).map { $1.at - $0.at })
        }
    }

    private func distances(_ turns: [HopSchedule.Turn], _ family: AddressFamily = .ipv4) -> [Int] {
        turns.filter { $0.family == family }.map(\.distance)
    }

    /// When the rounds of a search begin after the first one, in milliseconds.
    private static let search = [0, 1050, 3150, 7350, 15_750]

    @Test func `Five rounds look for hops at all distances, then one each interval goes to those that answered`() {
        var course = Course()
        course.know(2)
        let rounds = course.run(until: .seconds(1300))
        #expect(
            rounds.map { distances($0.turns) } == Array(repeating: [1, 2, 3, 4], count: 5)
                + Array(repeating: [1, 2], count: 3)
        )
        #expect(rounds.prefix(5).map(\.at) == Self.search.map { .milliseconds($0) })
        #expect(rounds.dropFirst(5).map(\.at) == [615_750, 915_750, 1_215_750].map { .milliseconds($0) })
    }

    @Test func `A search begins each hour, and at once after a change of the uplink`() {
        var course = Course()
        course.know(1)
        course.run(until: .seconds(3599))
        let hourly = course.run(until: .seconds(3700))
        #expect(hourly.count { distances($0.turns) == [1, 2, 3, 4] } == 3, "fewer than at the start")
        course.change([.ipv4], isNewUplink: true)
        let changed = course.run(until: .seconds(3720))
        #expect(changed.map(\.at) == Self.search.map { .seconds(3700) + .milliseconds($0) })
        course.change([.ipv4], isNewUplink: false)
        #expect(course.run(until: .seconds(3730)).isEmpty, "nothing that matters has changed")
    }

    @Test func `Without a path nothing is due, and a family that comes is looked at`() {
        var course = Course([])
        #expect(course.schedule.next == nil)
        course.change([.ipv4], isNewUplink: true)
        course.run(until: .seconds(20))
        course.change([.ipv4, .ipv6], isNewUplink: false)
        let rounds = course.run(until: .seconds(40))
        #expect(rounds.count == 5 && rounds.allSatisfy { distances($0.turns, .ipv6) == [1, 2, 3, 4] })
        course.change([], isNewUplink: false)
        #expect(course.schedule.next == nil)
    }

    @Test(arguments: [(true, false), (false, true)])
    func `An expensive or constrained path is probed only where that is allowed`(expensive: Bool, constrained: Bool) {
        var course = Course(isExpensive: expensive, isConstrained: constrained)
        #expect(course.run(until: .seconds(10_000)).isEmpty && course.schedule.next == nil)
        course = Course(isExpensive: expensive, isConstrained: constrained) {
            ($0.runsOnExpensive, $0.runsOnConstrained) = (expensive, constrained)
        }
        #expect(!course.run(until: .seconds(10)).isEmpty)
    }

    @Test func `During a speed test each known hop is probed once a second, afterwards as before`() {
        var course = Course()
        course.know(3)
        course.run(until: .seconds(100))
        course.schedule.change(.speedTest, at: course.now)
        let during = course.run(until: .seconds(130))
        #expect(during.first?.at == .seconds(100), "at once")
        #expect(course.pauses(from: .seconds(100), to: .seconds(130)) == [HopSchedule.shortestInterval])
        #expect(during.allSatisfy { distances($0.turns) == [1, 2, 3] })
        course.schedule.change(.calm, at: course.now)
        #expect(course.run(until: .seconds(400)).isEmpty)
        #expect(course.run(until: .seconds(440)).count == 1)
    }

    @Test func `Offline the pace is one a second for a minute, then 30 s, and all distances are probed`() {
        var course = Course()
        course.know(1)
        course.run(until: .seconds(100))
        course.schedule.change(.offline, at: course.now)
        let during = course.run(until: .seconds(400))
        #expect(course.pauses(from: .seconds(100), to: .seconds(159)) == [HopSchedule.shortestInterval])
        #expect(course.pauses(from: .seconds(162), to: .seconds(400)) == [.seconds(30)])
        #expect(during.allSatisfy { distances($0.turns) == [1, 2, 3, 4] })
        course.schedule.change(.calm, at: course.now)
        let after = course.run(until: .seconds(420))
        #expect(
            after.map { distances($0.turns) } == Array(repeating: [1, 2, 3, 4], count: 5),
            "what was dead may answer now"
        )
    }

    @Test func `With loss the pace is one a second for ten minutes, then one hop each 16 s, over one family`() {
        var course = Course([.ipv4, .ipv6])
        course.know(4)
        course.know(4, .ipv6)
        course.run(until: .seconds(10))
        course.schedule.change(.degraded(nil), at: course.now)
        course.run(until: .seconds(3610))
        #expect(course.pauses(from: .seconds(10), to: .seconds(609)) == [HopSchedule.shortestInterval])
        #expect(
            course.rounds.count {
                $0.at >= .seconds(10) && $0.at < .seconds(640) && $0.turns.contains { $0.family == .ipv4 }
            } >= 570
        )
        let late = course.pauses(from: .seconds(612), to: .seconds(3590))
        #expect(late == [HopSchedule.laterInterval])
        let last = course.rounds.last { $0.at < .seconds(3590) && $0.turns.contains { $0.family == .ipv4 } }
        #expect(distances(last?.turns ?? []) == [1])
        #expect(course.rounds.filter { $0.at > .seconds(10) }.flatMap(\.turns).count { $0.family == .ipv6 } < 80)

        course.schedule.change(.degraded(.ipv6), at: course.now)
        let other = course.run(until: .seconds(3700))
        #expect(other.filter { $0.turns.contains { $0.family == .ipv6 } }.count > 80)

        // The routers of IPv6 may not be probed.
        var single = Course([.ipv4])
        single.know(4)
        single.run(until: .seconds(10))
        single.schedule.change(.degraded(.ipv6), at: single.now)
        #expect(single.run(until: .seconds(100)).count > 80)
    }

    @Test func `A hop that left out the probes of the search is looked for again when packets are lost or slow`() {
        var course = Course()
        course.know(4)
        course.reports[.ipv4]?.hops[1].addresses = []
        course.run(until: .seconds(10))
        course.schedule.change(.degraded(nil), at: course.now)
        let rounds = course.run(until: .seconds(16.6)).map { distances($0.turns) }
        #expect(rounds == Array(repeating: [1, 2, 3, 4], count: 5) + Array(repeating: [1, 3, 4], count: 2))
    }

    @Test func `Trouble that comes and goes costs no more in an hour than one that stays`() {
        var course = Course()
        course.know(4)
        course.run(until: .seconds(10))
        while course.now < .seconds(3600) {
            course.schedule.change(.degraded(nil), at: course.now)
            course.run(until: course.now + .seconds(120))
            course.schedule.change(.calm, at: course.now)
            course.run(until: course.now + .seconds(30))
        }
        let close = course.rounds.count { $0.at >= .seconds(10) && $0.at < .seconds(3590) && $0.turns.count > 1 }
        #expect((540...620).contains(close), "\(close)")
        course.schedule.change(.degraded(nil), at: .seconds(3700))
        course.now = .seconds(3700)
        #expect(course.run(until: .seconds(3720)).count >= 19, "another hour")
    }

    @Test func `No sequence of events sends a router more than one probe a second`() {
        var random = SplitMix64(state: 34)
        let modes: [HopMode] = [.calm, .speedTest, .offline, .degraded(nil), .degraded(.ipv6)]
        var course = Course([.ipv4, .ipv6])
        course.know(3)
        for _ in 0..<3000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: course.schedule.change(modes.randomElement(using: &random) ?? .calm, at: course.now)
            case 1:
                let families: [Set<AddressFamily>] = [[.ipv4], [.ipv4, .ipv6], [.ipv4, .ipv6]]
                course.change(families.randomElement(using: &random) ?? [], isNewUplink: Bool.random(using: &random))
            default: break
            }
            course.run(until: course.now + .milliseconds(Int.random(in: 1...3000, using: &random)))
        }
        var last: [HopSchedule.Turn: Duration] = [:]
        for round in course.rounds {
            for turn in round.turns {
                if let earlier = last[turn] { #expect(round.at - earlier >= .seconds(1)) }
                last[turn] = round.at
            }
        }
        #expect(course.rounds.count > 500)
    }

    @Test func `At most four hops are probed, the first and those beside the provider's first router`() {
        var course = Course { ($0.maxHops, $0.firstProviderHop) = (8, 5) }
        course.know(8)
        course.run(until: .seconds(20))
        #expect(course.run(until: .seconds(620)).map { distances($0.turns) } == [[1, 4, 5, 6]])
        course = Course { $0.maxHops = 99 }
        #expect(course.run(until: .zero).map { distances($0.turns) } == [Array(1...16)])
        course.know(3, end: 3)
        course.run(until: .seconds(20))
        course.schedule.change(.offline, at: course.now)
        #expect(
            distances(course.run(until: .seconds(21)).last?.turns ?? []) == [1, 2, 3],
            "not beyond the destination"
        )
    }

    /// The bytes that the issue allows, each probe with an answer of the length that Linux gives it, and a ping of the
    /// destination with 16 bytes beside each round.
    @Test func `An hour of calm takes less than 20 kB over both families, one of loss less than 400 kB over either`() {
        func bytes(of course: Course, from start: Duration) -> UInt64 {
            let rounds = course.rounds.filter { $0.at >= start }
            let pings = rounds.reduce(UInt64(0)) { sum, round in
                Set(round.turns.map(\.family)).reduce(sum) { $0 + 2 * UInt64($1.headerBytes + 16) }
            }
            return rounds.flatMap(\.turns).reduce(pings) { sum, turn in
                sum + HopBytes.sent(turn.family) + HopBytes.received(turn.family, quoted: HopMessage.byteCount)
            }
        }
        var calm = Course([.ipv4, .ipv6])
        for family in AddressFamily.allCases { calm.know(4, family) }
        calm.run(until: .seconds(3600))
        #expect(bytes(of: calm, from: .zero) < 20_000)
        calm.run(until: .seconds(4000))
        let start = calm.now
        calm.run(until: start + .seconds(3600))
        #expect(bytes(of: calm, from: start) < 20_000)

        for family in AddressFamily.allCases {
            var course = Course([family])
            course.know(4, family)
            course.run(until: .seconds(10))
            course.schedule.change(.degraded(nil), at: course.now)
            let trouble = course.now
            course.run(until: trouble + .seconds(3600))
            let probes = course.rounds.filter { $0.at > trouble && $0.turns.count > 1 }.count
            #expect(bytes(of: course, from: trouble) < 400_000 && probes >= 420, "\(family)")
            let close = course.rounds.filter { $0.at > trouble && $0.at < trouble + .seconds(440) }
            #expect(close.allSatisfy { distances($0.turns, family) == [1, 2, 3, 4] }, "\(family)")
        }
    }
}
