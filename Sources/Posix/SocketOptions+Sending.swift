// Kernel headers bring the constants too, and an optimized build takes them from there.
import CLinux
import Glibc

extension SocketOptions {
    /// The congestion control that a TCP socket uses, such as `cubic`; nil where the kernel does not tell.
    package static func congestionControl(of socket: Int32) -> String? {
        // TCP_CA_NAME_MAX.
        var name = [UInt8](repeating: 0, count: 16)
        var length = socklen_t(name.count)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &length) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Keeps a sender from handing the kernel more than so many bytes beyond those on their way (TCP_NOTSENT_LOWAT).
    ///
    /// - Returns: 0, or the errno.
    @discardableResult
    package static func setUnsentLimit(_ socket: Int32, _ bytes: Int32) -> Int32 {
        var bytes = bytes
        let size = socklen_t(MemoryLayout<Int32>.size)
        return setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, size) == 0 ? 0 : errno
    }

    /// Has the close drop what has not been sent yet, with a reset (SO_LINGER).
    package static func dropUnsentOnClose(_ socket: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
