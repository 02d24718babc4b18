import Glibc

/// Waits for the other side to go without taking what it sends; false when it has.
func recvNothing(_ socket: Int32, _ byte: inout UInt8) -> Bool {
    // POLLRDHUP.
    var polled = pollfd(fd: socket, events: 0x2000, revents: 0)
    return poll(&polled, 1, 10_000) == 0
}

/// Reads what comes until the other side has closed.
func readToEnd(_ socket: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return bytes }
        bytes += buffer[..<count]
    }
}
