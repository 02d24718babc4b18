import CLab
import Coordination
import Glibc
import Lab
import Posix

/// A process attached to a tun device, without which the device has no carrier.
final class Tunnel: Sendable {
    private let descriptor: Locked<Descriptor?>

    /// - Parameters:
    ///   - device: which is there.
    ///   - namespace: that of the device.
    ///   - hardwareType: what it is from now on (linux/if_arp.h), where it is down; nil: as it is.
    /// - Throws: `SystemError` where there is no such device, or it cannot have this type.
    init(_ device: String, in namespace: Namespace, hardwareType: Int32? = nil) throws {
        let (number, code) = try namespace.inside { (nhe_attach_tun(device), errno) }
        guard number >= 0 else { throw SystemError(call: "attach \(device)", code: code) }
        descriptor = Locked(try Descriptor(owning: number, from: "open"))
        guard let hardwareType, nhe_set_tun_type(number, hardwareType) != 0 else { return }
        throw SystemError(call: "set the type of \(device)", code: errno)
    }

    /// Ends, as a crashed VPN does.
    func detach() { descriptor.withLock { $0 = nil } }
}
