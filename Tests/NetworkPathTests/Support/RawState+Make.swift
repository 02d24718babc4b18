import Netlink
import Posix

@testable import NetworkPath

/// The instant at which every test's clock starts.
let epoch = SuspendingClock.now

extension DeviceFacts {
    static func make(
        type: String? = nil,
        wireless: Bool = false,
        device: Bool = false,
        driver: String? = nil,
        vendor: UInt16? = nil,
        speed: UInt32? = nil
    ) -> DeviceFacts {
        var facts = DeviceFacts()
        facts.isReadable = true
        facts.deviceType = type
        facts.isWireless = wireless
        facts.hasDevice = device || driver != nil
        facts.driver = driver
        facts.usbVendor = vendor
        facts.speedMegabits = speed
        return facts
    }

    static let ethernet = DeviceFacts.make(device: true, speed: 1000)
    static let wifi = DeviceFacts.make(type: "wlan", wireless: true, device: true)
    static let modem = DeviceFacts.make(type: "wwan", device: true)
    static let virtual = DeviceFacts.make()
}

extension RawState {
    /// A state in which links without a kind are Ethernet hardware, and all have been up for long.
    static func make(
        _ links: Link...,
        facts: [Int32: DeviceFacts] = [:],
        addresses: [Address] = [],
        routes: [Route] = [],
        ipv4: RouteLookup = .unreachable,
        ipv6: RouteLookup = .unreachable,
        nextHops: [RouteHop] = [],
        manager: NetworkManagerFacts? = nil,
        upSince: Instant = epoch.advanced(by: .seconds(-3600))
    ) -> RawState {
        var state = RawState()
        for link in links {
            _ = state.upsert(link, at: upSince)
            state.deviceFacts[link.index] = facts[link.index] ?? (link.kind == nil ? .ethernet : .virtual)
        }
        for address in addresses { _ = state.upsert(address) }
        for route in routes { _ = state.upsert(route) }
        state.lookups = [.ipv4: ipv4, .ipv6: ipv6]
        if !nextHops.isEmpty { state.nextHops = [.ipv4: nextHops] }
        state.networkManager = manager
        return state
    }

    typealias Instant = SuspendingClock.Instant

    /// The path right now.
    func path(_ policy: PathPolicy = PathPolicy(), after: Duration = .zero) -> Path {
        evaluation(policy, after: after).path
    }

    func evaluation(_ policy: PathPolicy = PathPolicy(), after: Duration = .zero) -> PathEvaluation {
        PathEvaluator.evaluate(self, policy: policy, now: epoch.advanced(by: after))
    }

    /// The evaluation so long after a start whose grace lasts for two seconds.
    func evaluation(afterStart time: Duration) -> PathEvaluation {
        PathEvaluator.evaluate(self, settlesBy: epoch.advanced(by: .seconds(2)), now: epoch.advanced(by: time))
    }
}

extension NetworkManagerFacts {
    static func make(
        state: UInt32 = 70,
        enabled: Bool = true,
        devices: [String: Device] = [:]
    ) -> NetworkManagerFacts {
        var facts = NetworkManagerFacts()
        facts.state = state
        facts.isNetworkingEnabled = enabled
        facts.devices = devices
        return facts
    }

    /// One device with what it says about its cost.
    static func make(_ name: String, _ metered: MeteredState) -> NetworkManagerFacts {
        .make(devices: [name: .make(metered: metered)])
    }
}

extension NetworkManagerFacts.Device {
    static func make(type: UInt32 = 0, state: UInt32 = 100, metered: MeteredState = .unknown) -> Self {
        var device = Self()
        device.type = type
        device.state = state
        device.metered = metered
        return device
    }
}
