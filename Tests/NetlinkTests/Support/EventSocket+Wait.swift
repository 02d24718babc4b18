import Glibc
import Lab
import Netlink
import Posix

extension EventSocket {
    /// Receives until an event is the expected one; ten seconds of silence throw.
    mutating func wait(for isExpected: (RouteEvent) -> Bool) throws {
        var isFound = false
        while !isFound {
            while try receive({ if isExpected($0) { isFound = true } }) {}
            if isFound { return }
            var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 10_000) > 0 else { throw SystemError(call: "poll", code: ETIMEDOUT) }
        }
    }

    /// What is there to receive.
    mutating func pending() throws -> [RouteEvent] {
        var events: [RouteEvent] = []
        while try receive({ events.append($0) }) {}
        return events
    }
}
