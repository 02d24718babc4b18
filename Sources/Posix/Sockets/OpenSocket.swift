import CLinux
import Glibc

/// Opens a socket: socket(2) with the flags of `SocketType.flags` added, or a replacement for tests.
///
/// A socket belongs to the network namespace in which it was opened, whichever thread uses it.
package typealias SocketOpener =
    @Sendable (_ family: Int32, _ type: Int32, _ number: Int32) throws(SystemError) -> Descriptor

extension Descriptor {
    /// socket(2), in the namespace of the calling thread; throws with EMFILE for a number in the `DescriptorReserve`.
    @Sendable package static func openSocket(
        family: Int32,
        type: Int32,
        protocol number: Int32
    ) throws(SystemError) -> Descriptor {
        let descriptor = try Descriptor(owning: nhe_socket(family, type | SocketType.flags, number), from: "socket")
        guard !DescriptorReserve().contains(descriptor.number) else { throw SystemError(call: "socket", code: EMFILE) }
        return descriptor
    }

    /// setsockopt(2) with an integer.
    package borrowing func setOption(_ level: Int32, _ option: Int32, to value: Int32) throws(SystemError) {
        var value = value
        guard setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw SystemError(call: "setsockopt", code: errno)
        }
    }

    /// Sends and receives through this device alone (SO_BINDTODEVICE); throws with ENODEV where it does not exist.
    package borrowing func restrict(toDevice name: String) throws(SystemError) {
        let code = SocketOptions.bind(number, toDevice: name)
        guard code == 0 else { throw SystemError(call: "bind to \(name)", code: code) }
    }

    /// Whether the device that this was bound to is gone, or has another name now.
    ///
    /// A socket stays bound to the device itself, whatever takes its name.
    package borrowing func hasLost(device name: String) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: NetworkDevice.nameSize) { bound in
            bound.initialize(repeating: 0)
            var length = socklen_t(bound.count)
            guard getsockopt(number, SOL_SOCKET, SO_BINDTODEVICE, bound.baseAddress, &length) == 0 else { return true }
            return bound.baseAddress.map { String(cString: $0) } != name
        }
    }

    /// The error that waits at the socket, and is taken away (SO_ERROR); 0: none.
    package borrowing func takeError() -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }
}

/// The types of sockets as the numbers that socket(2) takes.
///
/// C's enumeration belongs to the module of a build that loads its header first. Its members are therefore used here
/// only, where all of these modules are imported.
package enum SocketType {
    /// A TCP connection, or a listener for them.
    package static let stream = Int32(SOCK_STREAM.rawValue)
    /// UDP, and ICMP echoes without a privilege.
    package static let datagram = Int32(SOCK_DGRAM.rawValue)
    /// Netlink datagrams, and ICMP with CAP_NET_RAW.
    package static let raw = Int32(SOCK_RAW.rawValue)
    /// To be added: never blocks, and is closed on exec.
    package static let flags = O_NONBLOCK | O_CLOEXEC
}

/// The kernel's time stamps, taken before any thread of ours has to run (Documentation/networking/timestamping.rst).
extension Descriptor {
    /// Has the kernel stamp what this datagram socket receives and sends, or forget it.
    ///
    /// Stamps of what was sent come on the error queue with the message's number, which starts at 0 here.
    package borrowing func setTimestamps(_ isOn: Bool) throws(SystemError) {
        let flags =
            SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE
            | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID
            | SOF_TIMESTAMPING_OPT_TSONLY
        try setOption(SOL_SOCKET, SO_TIMESTAMPING, to: isOn ? Int32(truncatingIfNeeded: flags) : 0)
    }
}
