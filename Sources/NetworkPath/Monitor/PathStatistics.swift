import Netlink
import Posix
package import Statistics

/// What a monitor has counted since it was made.
package struct PathStatistics: Sendable, Equatable {
    /// What kind of kernel or daemon message arrived.
    package enum RawEvent: String, Sendable, CaseIterable {
        case link, address, route, rule, nexthop, metered
    }

    /// Why everything was read again.
    package enum Resync: String, Sendable, CaseIterable {
        /// The kernel dropped messages (ENOBUFS).
        case overrun
        /// A dump was interrupted by a change (NLM_F_DUMP_INTR) and repeated.
        case dumpInterrupted = "dump_intr"
        /// The regular check for drift.
        case periodic
        /// The machine slept.
        case resume
    }

    package var rawEvents: [RawEvent: UInt64] = [:]
    package var changes: [PathUpdate.Field: UInt64] = [:]
    package var resyncs: [Resync: UInt64] = [:]
    /// How often a regular check found a state other than the events had told.
    package var drift: UInt64 = 0
    package var isNetlinkUp = false
    /// nil where NetworkManager is not watched.
    package var isNetworkManagerUp: Bool?
    /// From the first event of a change to its publication, holds included.
    package var settleDelay = DurationHistogram(bounds: delayBounds)
    /// The devices that carried the path, by name.
    package var devices: [String: DeviceCounters] = [:]

    package init() {}

    /// In seconds: from a scheduler tick to a long hold.
    package static let delayBounds = [0.000_1, 0.000_5, 0.001, 0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
}

/// The kernel's counters of one device.
package struct DeviceCounters: Sendable, Equatable {
    package var receivedBytes: UInt64 = 0
    package var transmittedBytes: UInt64 = 0
    /// Carrier gained plus carrier lost; nil where the kernel does not count.
    package var carrierChanges: UInt64?
    /// Bits a second; nil where unknown or meaningless.
    package var linkSpeed: UInt64?

    package init() {}

    /// From the kernel's word about a device.
    init(_ link: Link, speed: UInt64?) {
        receivedBytes = link.receivedBytes ?? 0
        transmittedBytes = link.transmittedBytes ?? 0
        if let up = link.carrierUpCount, let down = link.carrierDownCount { carrierChanges = UInt64(up) + UInt64(down) }
        linkSpeed = speed
    }
}
