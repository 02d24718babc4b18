package import NetworkPath
package import Posix
package import Probing

extension UplinkBoard {
    /// The machine was suspended, or this process did not run: what was found before says little about now.
    package mutating func resumed(at now: Instant) {
        for index in records.indices { records[index].resume(at: now) }
    }

    /// A round that is to begin.
    package struct Turn: Sendable, Equatable {
        package var name: String
        package var binding: UplinkBinding
        let epoch: UInt64
        package let began: Instant

        /// Those of the families that it is bound in.
        package func families(of addresses: [SocketAddress]) -> [SocketAddress] {
            addresses.filter { binding.sources.keys.contains($0.ip.family) }
        }

        /// Whether a socket that is bound so gets out there, by what the kernel says now.
        package func isPossible(_ ways: [WayOut]) -> Bool {
            ways.contains { way in
                way.isUsable && way.interface.name == binding.device && way.access == .bound(binding.sources)
            }
        }
    }
}
