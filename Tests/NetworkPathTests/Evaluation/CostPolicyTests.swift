import Netlink
import Posix
import Testing

@testable import NetworkPath

struct CostPolicyTests {
    /// All that can make a device expensive at once; each test removes the sources above the one it is about.
    private static let everything = CostPolicy.Subject(
        name: "wwan0",
        type: .cellular,
        isTether: true,
        metered: .yes,
        hasHotspotGateway: true
    )

    @Test(arguments: [
        (MeteredState.yes, true, CostSource.networkManagerYes), (.no, false, .networkManagerNo),
        (.guessYes, true, .networkManagerGuess), (.guessNo, true, .cellular), (.unknown, true, .cellular),
    ])
    func
        `NetworkManager takes priority over the type of the device, except when it guesses that the device costs nothing`(
            metered: MeteredState,
            value: Bool,
            source: CostSource
        )
    {
        var subject = Self.everything
        subject.metered = metered
        #expect(expensive(subject) == CostPolicy.Verdict(value: value, source: source))
    }

    @Test func `the weaker sources count in their order`() {
        var subject = Self.everything
        subject.metered = .guessNo
        #expect(expensive(subject).source == .cellular)
        subject.type = .wifi
        #expect(expensive(subject).source == .tether)
        subject.isTether = false
        #expect(expensive(subject) == CostPolicy.Verdict(value: true, source: .gatewayGuess))
        subject.hasHotspotGateway = false
        #expect(expensive(subject) == CostPolicy.Verdict(value: false, source: .assumed))
    }

    @Test(arguments: [true, false])
    func `the file takes priority over NetworkManager`(value: Bool) {
        var policy = PathPolicy()
        policy.fileVerdict = value
        #expect(expensive(Self.everything, policy) == CostPolicy.Verdict(value: value, source: .file))
        #expect(constrained(Self.everything, policy).source == .assumed, "it is about the cost only")
    }

    @Test func `a rule beats the general setting, which beats the file`() {
        var policy = PathPolicy()
        policy.fileVerdict = true
        policy.expensive = false
        #expect(expensive(Self.everything, policy) == CostPolicy.Verdict(value: false, source: .config))
        policy.rules = [.init(interfaceGlob: "wwan*", expensive: true)]
        #expect(expensive(Self.everything, policy) == CostPolicy.Verdict(value: true, source: .rule))
    }

    @Test(arguments: [
        ("wwan*", true), ("wwan?", true), ("wwan", false), ("*", true), ("[a-v]*", false), ("[w]*0", true),
    ])
    func `a rule's interface is a glob`(glob: String, matches: Bool) {
        var policy = PathPolicy()
        policy.rules = [.init(interfaceGlob: glob, expensive: false)]
        #expect((expensive(Self.everything, policy).source == .rule) == matches)
    }

    @Test func `only the first rule that matches counts, also for what it leaves open`() {
        var policy = PathPolicy()
        policy.rules = [
            .init(interfaceGlob: "eth*", expensive: false), .init(interfaceGlob: "wwan0", constrained: true),
            .init(interfaceGlob: "*", expensive: false, constrained: false),
        ]
        #expect(expensive(Self.everything, policy).source == .networkManagerYes)
        #expect(constrained(Self.everything, policy) == CostPolicy.Verdict(value: true, source: .rule))
    }

    @Test
    func
        `the cost of an uplink counts where all by which it is recognised is so, below rules and above the general setting`()
        throws
    {
        let (router, other) = (try #require(IPAddress("198.18.0.1")), try #require(IPAddress("198.18.0.2")))
        var subject = Self.everything
        (subject.routers, subject.ssid) = ([router], "Home")
        func verdict(_ uplinks: UplinkMatch..., change: (inout PathPolicy) -> Void = { _ in }) -> CostPolicy.Verdict {
            var policy = PathPolicy()
            policy.uplinkCosts = uplinks.map { .init($0, isExpensive: false) }
            policy.expensive = true
            change(&policy)
            return expensive(subject, policy)
        }
        let cheap = CostPolicy.Verdict(value: false, source: .rule)
        #expect(verdict(UplinkMatch(interface: "wwan*")) == cheap)
        #expect(verdict(UplinkMatch(gateway: router)) == cheap)
        #expect(verdict(UplinkMatch(ssid: "H*")) == cheap)
        #expect(verdict(UplinkMatch(interface: "wwan0", gateway: router, ssid: "Home")) == cheap)
        var outside = UplinkMatch(interface: "wwan0")
        outside.publicAddress = AddressRange("0.0.0.0/0")
        for uplink in [
            UplinkMatch(interface: "eth*"), UplinkMatch(gateway: other), UplinkMatch(ssid: "Work"),
            UplinkMatch(interface: "wwan0", gateway: other), outside,
        ] {
            #expect(verdict(uplink) == CostPolicy.Verdict(value: true, source: .config), "\(uplink)")
        }
        let ruled = verdict(UplinkMatch(interface: "*")) { $0.rules = [.init(interfaceGlob: "*", expensive: true)] }
        #expect(ruled == CostPolicy.Verdict(value: true, source: .rule))
        let first = verdict(UplinkMatch(gateway: other), UplinkMatch(interface: "*")) {
            $0.uplinkCosts[0].isExpensive = true
        }
        #expect(first == cheap, "the first that matches")
        subject.ssid = nil
        #expect(verdict(UplinkMatch(ssid: "*")).source == .config, "not known")
    }

    @Test func `the cost of the router in use counts, not that of a standby on the same device`() throws {
        let (router, standby) = (try #require(IPAddress("192.0.2.1")), try #require(IPAddress("192.0.2.2")))
        var policy = PathPolicy()
        policy.uplinkCosts = [
            .init(UplinkMatch(gateway: standby), isExpensive: true),
            .init(UplinkMatch(gateway: router), isExpensive: false),
        ]
        let routes = [Route.make(over: 2, via: "192.0.2.1"), .make(over: 2, via: "192.0.2.2", metric: 900)]
        func path(_ ipv4: RouteLookup) -> Path {
            RawState.make(.make(2, "eth0"), routes: routes, ipv4: ipv4).path(policy)
        }
        let cheap = path(.over(2, via: "192.0.2.1", source: "192.0.2.9"))
        #expect(!cheap.isExpensive && cheap.expensiveSource == .rule)
        #expect(path(.over(2, via: "192.0.2.2", source: "192.0.2.9")).isExpensive)
    }

    @Test func `a flag decides before every other source`() {
        var policy = PathPolicy()
        policy.expensive = true
        policy.rules = [.init(interfaceGlob: "*", expensive: true, constrained: true)]
        policy.flags = PathPolicy.Flags(expensive: false, constrained: false)
        #expect(expensive(Self.everything, policy) == CostPolicy.Verdict(value: false, source: .flag))
        #expect(constrained(Self.everything, policy) == CostPolicy.Verdict(value: false, source: .flag))
    }

    @Test func `what no source knows is assumed on a host, and unknown in a container`() {
        var policy = PathPolicy()
        let subject = CostPolicy.Subject(name: "eth0", type: .wiredEthernet)
        func sources(_ viewpoint: Path.Viewpoint) -> [CostSource] {
            let costs = CostPolicy(policy: policy, viewpoint: viewpoint)
            return [costs.expensive(subject).source, costs.constrained(subject).source]
        }
        #expect(sources(.host) == [.assumed, .assumed])
        #expect(sources(.container) == [.unknown, .unknown])
        policy.flags.expensive = false
        policy.constrained = true
        #expect(sources(.container) == [.flag, .config])
    }

    @Test func `what NetworkManager alone could know is unknown until it has answered`() {
        let costs = CostPolicy(policy: PathPolicy(), viewpoint: .host, awaitsNetworkManager: true)
        let radio = CostPolicy.Subject(name: "wlan0", type: .wifi)
        #expect(costs.expensive(radio) == CostPolicy.Verdict(value: false, source: .unknown))
        #expect(costs.constrained(radio).source == .assumed, "it knows nothing about that")
        let modem = CostPolicy.Subject(name: "wwan0", type: .cellular)
        #expect(costs.expensive(modem) == CostPolicy.Verdict(value: true, source: .cellular))

        var state = RawState.make(
            .make(2, "wlan0"),
            facts: [2: .wifi],
            routes: [.make(over: 2, via: "192.0.2.1")],
            ipv4: .over(2, via: "192.0.2.1", source: "192.0.2.2")
        )
        #expect(state.path().isCostKnown)
        state.awaitsNetworkManager = true
        #expect(!state.path().isCostKnown && state.path().status == .satisfied)
    }

    @Test func `only the user makes a path constrained`() {
        var policy = PathPolicy()
        #expect(constrained(Self.everything, policy) == CostPolicy.Verdict(value: false, source: .assumed))
        policy.constrained = true
        #expect(constrained(Self.everything, policy) == CostPolicy.Verdict(value: true, source: .config))
        policy.rules = [.init(interfaceGlob: "wwan0", constrained: false)]
        #expect(constrained(Self.everything, policy) == CostPolicy.Verdict(value: false, source: .rule))
    }

    @Test func `of several devices one expensive is enough, and the most explicit source that agrees is named`() {
        let verdicts = [
            CostPolicy.Verdict(value: false, source: .networkManagerNo), .init(value: true, source: .tether),
            .init(value: true, source: .networkManagerGuess), .init(value: false, source: .assumed),
        ]
        #expect(CostPolicy.any(verdicts) == .init(value: true, source: .networkManagerGuess))
        #expect(CostPolicy.any(verdicts.filter { !$0.value }) == .init(value: false, source: .networkManagerNo))
        #expect(CostPolicy.any([]) == nil)
    }

    @Test(arguments: [
        // router, own address, prefix length, hardware, guess
        ("172.20.10.1", "172.20.10.5", UInt8(28), DeviceFacts.wifi, true),
        ("172.20.10.1", "172.20.10.5", 28, .make(driver: "r8152", vendor: 0x05ac), true),
        ("172.20.10.1", "172.20.10.5", 28, .ethernet, false),
        ("172.20.10.1", "172.20.10.5", 24, .wifi, false),
        ("172.20.10.1", "172.20.10.21", 28, .wifi, false),
        ("172.20.10.2", "172.20.10.5", 28, .wifi, false),
    ])
    func `an iPhone's hotspot is known by its router and network`(
        router: String,
        own: String,
        length: UInt8,
        facts: DeviceFacts,
        guess: Bool
    ) throws {
        let state = RawState.make(
            .make(2, "wlan0"),
            facts: [2: facts],
            addresses: [try .make(2, own, length: length)],
            routes: [.make(over: 2, via: router)],
            ipv4: .over(2, via: router, source: own)
        )
        #expect(state.path().isExpensive == guess)
        #expect(state.path().expensiveSource == (guess ? .gatewayGuess : .assumed))
    }

    private func expensive(_ subject: CostPolicy.Subject, _ policy: PathPolicy = PathPolicy()) -> CostPolicy.Verdict {
        CostPolicy(policy: policy, viewpoint: .host).expensive(subject)
    }

    private func constrained(_ subject: CostPolicy.Subject, _ policy: PathPolicy) -> CostPolicy.Verdict {
        CostPolicy(policy: policy, viewpoint: .host).constrained(subject)
    }
}
