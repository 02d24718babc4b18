import Lab
import Netlink
import Posix
import Testing

@testable import NetworkPath

@Suite struct WayOutSurveyTests {
    private static let anchor = PathPolicy.defaultAnchors[.ipv4]

    /// Two cables; the kernel's answers are those of the test.
    private func survey(
        _ routes: [Route],
        links: [Link] = [.make(2, "eth0"), .make(3, "eth1")],
        halves: [Route] = [],
        strict: Set<Int32> = [],
        policy: PathPolicy = PathPolicy(),
        _ answer: (WayOutSurvey.Question) -> RouteLookup?
    ) -> [WayOut] {
        var state = RawState.make()
        for link in links { _ = state.upsert(link, at: epoch) }
        for (number, link) in links.enumerated() {
            state.deviceFacts[link.index] = .ethernet
            if let address = IPAddress("192.0.\(number + 1).9") {
                _ = state.upsert(Address(interfaceIndex: link.index, address: address, prefixLength: 24))
            }
        }
        for route in routes { state.upsert(route) }
        state.halfRoutes = Set(halves)
        var seen: Set<Int32> = []
        let candidates = WayOutSurvey.candidates(in: state, seen: &seen)
        var answers: [WayOutSurvey.Question: RouteLookup] = [:]
        for candidate in candidates {
            for question in WayOutSurvey.questions(about: candidate, in: state, policy) {
                answers[question] = answer(question)
            }
        }
        return WayOutSurvey(state: state, policy: policy, answers: answers, strictDevices: strict).waysOut(candidates)
    }

    private static let second = Route.make(over: 3, via: "192.0.2.1", metric: 200)
    private static let first = Route.make(over: 2, via: "192.0.1.1", metric: 100)

    /// The kernel as it answers where each device has its route in main.
    private func main(_ question: WayOutSurvey.Question) -> RouteLookup? {
        switch question.device {
        case 3: .over(3, via: "192.0.2.1", source: "192.0.2.9")
        default: .over(2, via: "192.0.1.1", source: "192.0.1.9")
        }
    }

    @Test func `a second default route with a higher metric needs the device alone`() {
        let ways = survey([Self.second, Self.first], main)
        #expect(ways.map(\.interface.name) == ["eth0", "eth1"], "by metric")
        #expect(ways.map(\.access) == [.bound([.ipv4: nil]), .bound([.ipv4: nil])])
        #expect(ways.map { $0.router?.description } == ["192.0.1.1", "192.0.2.1"])
    }

    @Test func `a way over Wi-Fi has its network`() throws {
        var facts = DeviceFacts.wifi
        facts.ssid = "Example"
        var state = RawState.make(.make(2, "wlan0"), facts: [2: facts], routes: [Self.first])
        func found() -> [WayOut] {
            let survey = WayOutSurvey(state: state, policy: PathPolicy(), answers: [:], strictDevices: [])
            var seen: Set<Int32> = []
            return survey.waysOut(WayOutSurvey.candidates(in: state, seen: &seen))
        }
        #expect(found().map(\.ssid) == ["Example"] && found().first?.interface.type == .wifi)
        state.deviceFacts[2] = .wifi
        #expect(found().map(\.ssid) == [nil])
    }

    @Test func `what a way costs is unknown until NetworkManager has answered, and in a container`() {
        var state = RawState.make(.make(2, "eth0"), routes: [Self.first])
        func costs(_ policy: PathPolicy) -> [Bool?] {
            let survey = WayOutSurvey(state: state, policy: policy, answers: [:], strictDevices: [])
            var seen: Set<Int32> = []
            return survey.waysOut(WayOutSurvey.candidates(in: state, seen: &seen)).map(\.isExpensive)
        }
        var (host, container) = (PathPolicy(), PathPolicy())
        (host.viewpoint, container.viewpoint) = (.host, .container)
        #expect(costs(host) == [false] && costs(container) == [nil])
        state.awaitsNetworkManager = true
        #expect(costs(host) == [nil])
        host.expensive = true
        #expect(costs(host) == [true])
    }

    @Test func `a rule by source address needs the address, too`() {
        let ways = survey([.make(over: 3, via: "192.0.2.1", table: 102), Self.first]) { question in
            // Without the address, IPv4 answers that the destination is on the link, and finds no entry.
            guard question.device == 3 else { return main(question) }
            guard question.source != nil else { return question.isEntry ? .hostUnreachable : .over(3) }
            return .over(3, via: "192.0.2.1", table: 102)
        }
        #expect(ways.last?.access == .bound([.ipv4: IPAddress("192.0.2.9")]))
    }

    @Test func `a rule by mark leaves nothing to be tested`() {
        let ways = survey([.make(over: 3, via: "192.0.2.1", table: 102), Self.first]) { question in
            question.device == 3 ? (question.isEntry ? .hostUnreachable : .over(3)) : main(question)
        }
        #expect(ways.last?.access == .blocked(.noRoute))
    }

    @Test func `strict reverse path filtering drops the answers, where they come from elsewhere`() {
        #expect(survey([Self.first, Self.second], strict: [3], main).last?.access == .blocked(.reversePathFilter))
        #expect(survey([Self.first, Self.second], strict: [2], main).first?.access == .bound([.ipv4: nil]))
        // A rule by source address leads answers back, too.
        let ways = survey([.make(over: 3, via: "192.0.2.1", table: 102), Self.first], strict: [3]) { question in
            question.source == IPAddress("192.0.2.9") ? .over(3, via: "192.0.2.1", table: 102) : main(question)
        }
        #expect(ways.last?.access == .bound([.ipv4: nil]))
    }

    @Test(
        arguments: [
            (nil, nil, false), (0, 0, false), (0, 1, true), (1, 0, true), (0, 2, false), (2, 2, false), (1, 2, false),
            (2, 1, false),
        ] as [(Int?, Int?, Bool)]
    )
    func `the filter is strict where the higher value of all devices and of the device is 1`(
        all: Int?,
        device: Int?,
        isStrict: Bool
    ) throws {
        let root = try TemporaryFolder()
        if let all { try root.write("net/ipv4/conf/all/rp_filter", "\(all)\n") }
        if let device { try root.write("net/ipv4/conf/eth1/rp_filter", "\(device)\n") }
        try root.write("net/ipv4/conf/eth0/rp_filter", "1\n")
        #expect(ReversePathFilter.isStrict("eth1", sysctlRoot: root.path) == isStrict)
    }

    @Test func `a second router on one device is a way of its own, which is not tested`() {
        let ways = survey([Self.first, .make(over: 2, via: "192.0.1.2", metric: 300)], main)
        #expect(ways.map { $0.router?.description } == ["192.0.1.1", "192.0.1.2"])
        #expect(ways.map(\.access) == [.bound([.ipv4: nil]), .blocked(.secondRouter)])
    }

    @Test func `each router of one device costs what its own rule says`() {
        var policy = PathPolicy()
        policy.uplinkCosts = [
            .init(UplinkMatch(gateway: IPAddress("192.0.1.2")), isExpensive: true),
            .init(UplinkMatch(interface: "eth0"), isExpensive: false),
        ]
        let ways = survey([Self.first, .make(over: 2, via: "192.0.1.2", metric: 300)], policy: policy, main)
        #expect(ways.map { $0.router?.description } == ["192.0.1.1", "192.0.1.2"])
        #expect(ways.map(\.isExpensive) == [false, true])
    }

    @Test func `each next hop of a multipath route is a way`() {
        let hops = [RouteHop.make(2, via: "192.0.1.1"), .make(3, via: "192.0.2.1")]
        let ways = survey([.make(over: nil, hops: hops)]) { question in
            question.isEntry ? .route(.make(over: nil, hops: hops)) : main(question)
        }
        #expect(ways.map(\.access) == [.bound([.ipv4: nil]), .bound([.ipv4: nil])])
    }

    @Test func `two halves are a default route, and one alone is not`() {
        func half(_ isUpper: Bool) -> Route {
            var route = Route.make(over: 3, via: "192.0.2.1")
            (route.destinationLength, route.isUpperHalf) = (1, isUpper)
            return route
        }
        #expect(
            survey([Self.first], halves: [half(false), half(true)], main).map(\.interface.name) == ["eth1", "eth0"]
        )
        #expect(survey([Self.first], halves: [half(false)], main).map(\.interface.name) == ["eth0"])
    }

    @Test func `IPv4 and IPv6 of one device are one way`() {
        let ways = survey([Self.first, .make(.ipv6, over: 2, via: "fe80::1")]) { question in
            question.destination.family == .ipv6 ? .over6(2, via: "fe80::1") : main(question)
        }
        #expect(ways.count == 1 && ways.first?.access == .bound([.ipv4: nil, .ipv6: nil]))
    }

    @Test func `a route that refuses is no way, and at most 32 are reported`() {
        #expect(survey([.make(over: 2, kind: 6)], main).isEmpty)
        let links = (2...40).map { Link.make($0, "eth\($0)") }
        let routes = links.map { Route.make(over: $0.index, via: "192.0.2.1", metric: UInt32($0.index)) }
        #expect(survey(routes, links: links, main).map(\.interface.name) == links.prefix(32).map(\.name))
    }

    @Test func `a device that has lost its routes is still shown while it is switched on`() {
        let state = RawState.make(.make(2, "eth0"), .make(3, "eth1", .down), .make(4, "eth2", .noCarrier))
        var seen: Set<Int32> = [2, 3, 4, 9]
        #expect(WayOutSurvey.candidates(in: state, seen: &seen) == [.init(index: 2), .init(index: 4)])
        #expect(seen == [2, 3, 4], "one that is switched off may come back")
    }

    @Test func `a device has been seen from its first default route on, until it is deleted`() {
        var seen: Set<Int32> = []
        func shown(_ links: [Link], _ routes: [Route] = []) -> [Int32] {
            var state = RawState.make()
            for link in links { _ = state.upsert(link, at: epoch) }
            for route in routes { state.upsert(route) }
            return WayOutSurvey.candidates(in: state, seen: &seen).map(\.index)
        }
        let (cable, modem) = (Link.make(2, "eth0"), Link.make(3, "wwan0"))
        #expect(shown([cable, modem]).isEmpty)
        #expect(shown([cable, modem], [.make(over: 3)]) == [3])
        #expect(shown([cable, modem]) == [3], "it has lost its route")
        #expect(shown([cable]).isEmpty)
        #expect(shown([cable, modem]).isEmpty, "another device has the index now")
    }
}
