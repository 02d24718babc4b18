import Netlink
import Posix

/// The devices that carried the path, and what the kernel counts for them.
struct CarriedDevices {
    /// By name, with the index last seen.
    private var indices: [String: Int32] = [:]

    var isEmpty: Bool { indices.isEmpty }

    /// The path's own device and the one below it.
    mutating func add(_ path: Path) {
        for interface in [path.interface, path.underlay].compactMap(\.self) {
            indices[interface.name] = Int32(clamping: interface.index)
        }
    }

    /// Asks for the counters of each; one that does not exist any more is forgotten until it carries again.
    ///
    /// - Parameters:
    ///   - kernel: whom to ask.
    ///   - now: the time of asking.
    /// - Returns: the counters by name, and whether a link's state was news.
    /// - Throws: what goes wrong with the socket.
    mutating func read(
        _ kernel: inout Kernel,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) -> (counters: [String: DeviceCounters], isNews: Bool) {
        var counters: [String: DeviceCounters] = [:]
        var isAnyNews = false
        for (name, known) in indices {
            // It may have been made anew, under another index.
            let index = kernel.state.links.values.first { $0.name == name }?.index ?? known
            guard let (link, isNews) = try kernel.counters(index: index, at: now), link.name == name else {
                indices[name] = nil
                continue
            }
            isAnyNews = isAnyNews || isNews
            indices[name] = index
            counters[name] = DeviceCounters(link, speed: kernel.state.interface(index)?.linkSpeed)
        }
        return (counters, isAnyNews)
    }
}
