/// NetworkManager's facts about this host, copied from its D-Bus properties.
package struct NetworkManagerFacts: Sendable, Equatable {
    /// The manager's `State` (NMState): 10 asleep, 20 disconnected, 40 connecting, 50 local, 60 site, 70 global.
    package var state: UInt32 = 0
    /// The manager's `NetworkingEnabled`; false when the user switched networking off.
    package var isNetworkingEnabled = true
    /// The devices, by interface name (`IpInterface` where set and different, and `Interface`).
    package var devices: [String: Device] = [:]

    package init() {}

    /// One `org.freedesktop.NetworkManager.Device`.
    package struct Device: Sendable, Equatable {
        /// `Metered` (NMMetered).
        package var metered: MeteredState = .unknown
        /// `DeviceType` (NMDeviceType): 1 Ethernet, 2 Wi-Fi, 5 Bluetooth, 8 modem.
        package var type: UInt32 = 0
        /// `State` (NMDeviceState): 30 disconnected, 40–90 connecting, 100 activated.
        package var state: UInt32 = 0

        package init() {}
    }
}

/// The answers of one run of NetworkManager so far, and the requests that are still to be made: a value, without a bus.
struct NetworkManagerModel {
    /// More devices than this are not read; NetworkManager lists the oldest, so the physical ones, first.
    static let deviceLimit = 256

    private var manager: Manager?
    private var devices: [String: Device] = [:]
    private var wasComplete = false

    private struct Manager {
        var state: UInt32 = 0
        var isNetworkingEnabled = true
    }

    private struct Device {
        var facts = NetworkManagerFacts.Device()
        var interface = ""
        var ipInterface = ""
        /// Its properties have been read.
        var isKnown = false
        var inquiry = Inquiry.wanted

        /// Takes the properties of the right type, and leaves the others as they were.
        mutating func apply(_ properties: [NetworkManagerProperty: PropertyValue]) {
            if case .number(let number) = properties[.metered] { facts.metered = MeteredState(nmMetered: number) }
            if case .number(let number) = properties[.deviceType] { facts.type = number }
            if case .number(let number) = properties[.state] { facts.state = number }
            if case .text(let name) = properties[.interface] { interface = name }
            if case .text(let name) = properties[.ipInterface] { ipInterface = name }
        }
    }

    private enum Inquiry {
        case wanted
        case underWay
        case over
    }

    /// Takes the manager's properties: all of them, or those that changed.
    ///
    /// A change before the first full answer is dropped: that answer will be newer.
    mutating func updateManager(_ properties: [NetworkManagerProperty: PropertyValue], isComplete: Bool) {
        guard var manager = isComplete ? Manager() : manager else { return }
        if case .number(let state) = properties[.state] { manager.state = state }
        if case .flag(let isEnabled) = properties[.networkingEnabled] { manager.isNetworkingEnabled = isEnabled }
        if case .paths(let paths) = properties[.devices] { listDevices(paths) }
        self.manager = manager
        noteCompleteness()
    }

    /// Takes a device's answer; nil when it failed, as it does for a device that has just been removed.
    mutating func answerDevice(_ path: String, _ properties: [NetworkManagerProperty: PropertyValue]?) {
        guard devices[path] != nil else { return }
        var device = Device()
        device.inquiry = .over
        device.isKnown = properties != nil
        device.apply(properties ?? [:])
        devices[path] = device
        noteCompleteness()
    }

    /// Takes the changed properties of a device, and marks it to be read again when a value was not in the message.
    mutating func changeDevice(
        _ path: String,
        _ properties: [NetworkManagerProperty: PropertyValue],
        invalidated: Set<NetworkManagerProperty>
    ) {
        guard var device = devices[path] else { return }
        device.apply(properties)
        if device.inquiry == .over, !device.isKnown || !invalidated.isEmpty { device.inquiry = .wanted }
        devices[path] = device
    }

    /// A device whose properties are to be read, in no order; it is not returned again.
    mutating func takeInquiry() -> String? {
        guard let path = devices.first(where: { $0.value.inquiry == .wanted })?.key else { return nil }
        devices[path]?.inquiry = .underWay
        return path
    }

    /// The facts; nil until the manager and each device that it first listed has answered.
    var facts: NetworkManagerFacts? {
        guard wasComplete, let manager else { return nil }
        var facts = NetworkManagerFacts()
        facts.state = manager.state
        facts.isNetworkingEnabled = manager.isNetworkingEnabled
        for (_, device) in devices.sorted(by: { Self.precedes($0.key, $1.key) }) where device.isKnown {
            for name in Set([device.interface, device.ipInterface]) where !name.isEmpty {
                // Of two devices with one name (a leftover and its successor) the one with the higher state counts.
                if let other = facts.devices[name], other.state >= device.facts.state { continue }
                facts.devices[name] = device.facts
            }
        }
        return facts
    }

    private mutating func listDevices(_ paths: [String]) {
        let listed = Set(paths.prefix(Self.deviceLimit))
        devices = devices.filter { listed.contains($0.key) }
        for path in listed where devices[path] == nil { devices[path] = Device() }
    }

    private mutating func noteCompleteness() {
        if !wasComplete, manager != nil {
            wasComplete = devices.values.allSatisfy { $0.inquiry == .over }
        }
    }

    /// The order in which NetworkManager numbered them: …/9 before …/10.
    private static func precedes(_ one: String, _ other: String) -> Bool {
        (one.utf8.count, one) < (other.utf8.count, other)
    }
}
