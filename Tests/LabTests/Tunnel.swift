import CLab
import Coordination
import Glibc
import Lab
import Posix

/// A process attached to a tun device, without which the device has no carrier.
final class Tunnel: Sendable {
    private let descriptor: Locked<Descriptor?>

    init(_ device: String, in namespace: Namespace) throws {
        let (number, code) = try namespace.inside { (nhe_attach_tun(device), errno) }
        guard number >= 0 else { throw SystemError(call: "attach \(device)", code: code) }
        descriptor = Locked(try Descriptor(owning: number, from: "open"))
    }

    /// Ends, as a crashed VPN does.
    func detach() { descriptor.withLock { $0 = nil } }
}
