import CLinux
import Glibc

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
