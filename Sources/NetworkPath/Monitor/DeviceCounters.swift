package import Netlink

/// The kernel's counters of one device.
package struct DeviceCounters: Sendable, Equatable {
    package var receivedBytes: UInt64 = 0
    package var transmittedBytes: UInt64 = 0
    /// Carrier gained plus carrier lost; nil where the kernel does not count.
    package var carrierChanges: UInt64?
    /// In bits per second; nil where unknown or meaningless.
    package var linkSpeed: UInt64?
    /// The highest that both ends of the cable offer, in bits per second; nil where one of them is not known.
    package var maxLinkSpeed: UInt64?
    /// Good frames received, and those with errors; nil where the kernel does not count.
    package var receivedFrames: UInt64?
    package var receiveErrors: UInt64?
    /// The radio link of a Wi-Fi device, read every 10 s; nil without one.
    package var station: WirelessStation?

    package init() {}

    init(_ link: Link, speed: UInt64?, maxSpeed: UInt64?) {
        receivedBytes = link.receivedBytes ?? 0
        transmittedBytes = link.transmittedBytes ?? 0
        if let up = link.carrierUpCount, let down = link.carrierDownCount { carrierChanges = UInt64(up) + UInt64(down) }
        (linkSpeed, maxLinkSpeed) = (speed, maxSpeed)
        (receivedFrames, receiveErrors) = (link.receivedFrames, link.receiveErrors)
    }
}

/// The counters of the devices that have carried the path, as they were read last.
package struct DeviceReading: Sendable, Equatable {
    /// By name.
    package var counters: [String: DeviceCounters] = [:]
    /// When they were read, from the epoch of `SuspendingClock` on; 0 before the first time.
    package var at = Duration.zero

    package init() {}

    init(counters: [String: DeviceCounters], at now: SuspendingClock.Instant) {
        (self.counters, at) = (counters, SuspendingClock().systemEpoch.duration(to: now))
    }

    /// How long ago they were read.
    var age: Duration { SuspendingClock().systemEpoch.duration(to: .now) - at }
}

/// When the counters are read: seldom, when somebody asks, and often while a carrier may be lost without a message.
struct CounterReadings {
    /// How often, and for how long after a change of a link.
    ///
    /// Linux may announce a lost carrier up to a second after another change (net/core/link_watch.c), while a device's flags show it at
    /// once. A change in another network namespace, which is not seen here, delays the message too.
    static let looks = (every: Duration.milliseconds(400), for: Duration.milliseconds(1200))

    /// When they are read next; nil while no device has carried the path.
    private(set) var due: SuspendingClock.Instant?
    private var looksUntil: SuspendingClock.Instant
    /// Who waits for the next one.
    private var readers: [@Sendable () -> Void] = []

    /// A link may have changed just before.
    init(at now: SuspendingClock.Instant) { looksUntil = now + Self.looks.for }

    mutating func linkChanged(at now: SuspendingClock.Instant) {
        looksUntil = now + Self.looks.for
        due = due.map { min($0, now + Self.looks.every) }
    }

    /// Calls back after a reading that is made at once; where there is none to make, at once.
    mutating func request(at now: SuspendingClock.Instant, _ reader: @escaping @Sendable () -> Void) {
        guard due != nil else { return reader() }
        due = now
        readers.append(reader)
    }

    /// Calls those back who wait, after a reading or where none can be made.
    mutating func answer() {
        for reader in readers { reader() }
        readers = []
    }

    mutating func wasRead(at now: SuspendingClock.Instant, isEmpty: Bool, interval: Duration) {
        due = isEmpty ? nil : now + (now < looksUntil ? min(Self.looks.every, interval) : interval)
    }
}

/// The devices that have carried the path, whose counters are read.
struct CarriedDevices {
    /// By name, with the last known index.
    private var indices: [String: Int32] = [:]
    /// Asking a driver costs more than reading counters.
    private static let stationInterval = Duration.seconds(10)
    /// Of the Wi-Fi devices among them, by name.
    private var stations: [String: WirelessStation] = [:]
    private var stationsDueAt: SuspendingClock.Instant?

    var isEmpty: Bool { indices.isEmpty }

    /// Adds the path's own device and the one below it.
    mutating func add(_ path: Path) {
        // A host's device, which a container adopts, has no index here.
        for interface in [path.interface, path.underlay].compactMap(\.self) where interface.index > 0 {
            indices[interface.name] = Int32(clamping: interface.index)
        }
    }

    /// Reads the counters of each; one that does not exist any more is dropped until it carries again.
    ///
    /// - Returns: the counters by name, and whether a link's state was new.
    /// - Throws: what goes wrong with the socket.
    mutating func read(
        _ kernel: inout NetlinkState,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) -> (counters: [String: DeviceCounters], isDirty: Bool) {
        var counters: [String: DeviceCounters] = [:]
        var isAnyDirty = false
        let readsStations = stationsDueAt.map { now >= $0 } ?? true
        if readsStations { (stations, stationsDueAt) = ([:], now + Self.stationInterval) }
        for (name, known) in indices {
            // It may have been made anew, under another index.
            let index = kernel.state.links.values.first { $0.name == name }?.index ?? known
            guard let (link, isDirty) = try kernel.counters(index: index, at: now), link.name == name else {
                indices[name] = nil
                continue
            }
            isAnyDirty = isAnyDirty || isDirty
            indices[name] = index
            let facts = kernel.state.deviceFacts[index]
            var device = DeviceCounters(
                link,
                speed: kernel.state.interface(index)?.linkSpeed,
                maxSpeed: facts?.maxSpeed
            )
            if readsStations, facts?.isWireless == true { stations[name] = kernel.station(index: index) }
            // Without a carrier it has no access point.
            device.station = link.isRunning ? stations[name] : nil
            counters[name] = device
        }
        return (counters, isAnyDirty)
    }
}
