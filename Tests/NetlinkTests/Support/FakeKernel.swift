import CLinux
import Coordination
import Glibc
import Netlink
import Posix

/// The other end of a `RequestSocket`: answers each request with the datagrams of a script.
final class FakeKernel: Sendable {
    /// Given the number of requests before this one and its sequence number: the datagrams to answer with.
    typealias Script = @Sendable (_ count: Int, _ sequence: UInt32) -> [[UInt8]]

    private let requests = Locked<[[UInt8]]>([])

    /// Runs `body` with a socket whose requests the script answers, and returns the requests beside its result.
    static func run<Result>(
        timeout: Duration = .seconds(10),
        _ script: @escaping Script,
        _ body: (inout RequestSocket) throws -> Result
    ) throws -> (result: Result, requests: [[UInt8]]) {
        var ends: [Int32] = [-1, -1]
        let result = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
        let ours = try Descriptor(owning: result == 0 ? ends[0] : -1, from: "socketpair")
        let kernel = FakeKernel()
        let theirs = ends[1]
        let thread = try LoopThread(name: "fake-kernel") { kernel.answer(on: theirs, script) }
        _ = fcntl(ours.number, F_SETFL, O_NONBLOCK)
        var socket = RequestSocket(NetlinkSocket(ours), timeout: timeout)
        let outcome = Swift.Result { try body(&socket) }
        // Closes our end, which ends the thread.
        _ = consume socket
        thread.join()
        return (try outcome.get(), kernel.requests.withLock { $0 })
    }

    private func answer(on number: Int32, _ script: Script) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let length = recv(number, &buffer, buffer.count, 0)
            guard length >= 16 else { break }
            let request = Array(buffer[..<length])
            let count = requests.withLock { requests in
                requests.append(request)
                return requests.count - 1
            }
            let sequence = request[8..<12].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            for datagram in script(count, sequence) {
                _ = send(number, datagram, datagram.count, Int32(MSG_NOSIGNAL))
            }
        }
        close(number)
    }
}
