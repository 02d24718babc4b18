import Glibc

/// The server's end of a connection.
package struct RawConnection: Sendable {
    package let socket: Int32

    package init(socket: Int32) { self.socket = socket }

    /// Reads up to the blank line after a request's head; false where the other side has gone.
    @discardableResult
    package func readHead() -> String {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(socket, &byte, 1, 0) == 1 else { break }
            head.append(byte)
        }
        return String(decoding: head, as: UTF8.self)
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Whether there is room for more before so many milliseconds have passed.
    package func canSend(within milliseconds: Int32) -> Bool {
        var polled = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        return poll(&polled, 1, milliseconds) == 1
    }

    /// Reads `count` bytes.
    package func read(_ count: Int) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var left = count
        while left > 0 {
            let count = recv(socket, &buffer, min(left, buffer.count), 0)
            guard count > 0 else { return }
            left -= count
        }
    }

    /// Reads what comes until the other side closes; returns how much that was.
    @discardableResult
    package func readAll() -> Int {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var total = 0
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return total }
            total += count
        }
    }

    /// Has the close send a reset instead of an end.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
}
