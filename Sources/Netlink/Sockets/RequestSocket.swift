import CLinux
import Glibc
package import Posix

/// Sends requests about links, addresses, routes or sockets to the kernel: one at a time, each answered before the call
/// returns.
///
/// Every call blocks until the kernel has answered (5–45 µs for a lookup): never call it on the cooperative pool.
package struct RequestSocket: ~Copyable, Sendable {
    /// Pauses in milliseconds between tries of a dump that is interrupted: with the first, five tries.
    private static let backoff: [Int32] = [1, 5, 25, 25]

    /// How many dumps were interrupted by changes since the socket was opened, retries included.
    package private(set) var interruptedDumps: UInt64 = 0

    private var socket: NetlinkSocket
    private var sequence: UInt32 = 0
    private let timeout: Duration

    /// Opens the socket.
    ///
    /// - Parameters:
    ///   - number: `NETLINK_…`: rtnetlink by default.
    ///   - timeout: how long the kernel may be silent during an answer.
    /// - Throws: what goes wrong with the socket.
    package init(
        protocol number: Int32 = NETLINK_ROUTE,
        timeout: Duration = .seconds(1)
    ) throws(NetlinkError) {
        let opened = try NetlinkSocket(protocol: number)
        try opened.enable(NETLINK_EXT_ACK)
        try opened.enable(NETLINK_GET_STRICT_CHK)
        self.init(opened, timeout: timeout)
    }

    /// Uses a socket that is already set up.
    package init(_ socket: consuming NetlinkSocket, timeout: Duration) {
        self.socket = socket
        self.timeout = timeout
    }

    /// Sends a request and passes on the payloads of its answer; the kernel's error is thrown.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - body: called for each message of the answer.
    /// - Returns: true if a dump was interrupted by a change, so that the answer may be inconsistent.
    /// - Throws: `.kernel` where the kernel refuses, and what `body` throws.
    package mutating func perform(
        _ request: Request,
        _ body: (Message, RawSpan) throws(NetlinkError) -> Void
    ) throws(NetlinkError) -> Bool {
        // The rest of an abandoned answer: the kernel refuses a dump while another is unfinished.
        try socket.discard()
        sequence &+= 1
        let expected = sequence
        try socket.send(request.numbered(expected))
        var isDone = false
        var isInterrupted = false
        while !isDone {
            let received = try socket.receive { (message, payload) throws(NetlinkError) in
                guard message.sequence == expected, !isDone else { return }
                if message.flags & NLM_F_DUMP_INTR != 0 { isInterrupted = true }
                switch Int32(message.type) {
                case NLMSG_ERROR, NLMSG_DONE:
                    isDone = true
                    if let error = try KernelAnswer(message, payload: payload).error { throw error }
                default:
                    if message.flags & NLM_F_MULTI == 0 { isDone = true }
                    try body(message, payload)
                }
            }
            if !received { try socket.wait(timeout: timeout) }
        }
        return isInterrupted
    }

    /// Requests a dump, again while changes interrupt it, and collects the values that `parse` returns for its messages.
    package mutating func dump<Element: Sendable>(
        _ request: Request,
        _ parse: (Message, RawSpan) throws(NetlinkError) -> Element?
    ) throws(NetlinkError) -> Dump<Element> {
        var dump = Dump<Element>()
        for pause in Self.backoff {
            if try performDump(request, into: &dump, parse) { return dump }
            _ = poll(nil, 0, pause)
        }
        _ = try performDump(request, into: &dump, parse)
        return dump
    }

    /// One try; true if its result is consistent.
    private mutating func performDump<Element: Sendable>(
        _ request: Request,
        into dump: inout Dump<Element>,
        _ parse: (Message, RawSpan) throws(NetlinkError) -> Element?
    ) throws(NetlinkError) -> Bool {
        var elements: [Element] = []
        let isInterrupted = try perform(request) { (message, payload) throws(NetlinkError) in
            if let element = try parse(message, payload) { elements.append(element) }
        }
        if isInterrupted { interruptedDumps += 1 }
        dump.elements = elements
        dump.isConsistent = !isInterrupted
        return dump.isConsistent
    }
}

/// Requests to sock_diag(7).
extension RequestSocket {
    /// A socket for requests about sockets; `timeout` is how long the kernel may be silent during an answer.
    package static func diagnostics(timeout: Duration = .seconds(1)) throws(NetlinkError) -> RequestSocket {
        try RequestSocket(protocol: NETLINK_SOCK_DIAG, timeout: timeout)
    }

    /// The established TCP connections of one kind of socket, of all users.
    ///
    /// Only those of this network namespace. An IPv6 socket may carry IPv4: its flow has IPv4 addresses then.
    package mutating func tcpFlows(sockets family: AddressFamily) throws(NetlinkError) -> Dump<TCPFlow> {
        var request = Request(type: Int(SOCK_DIAG_BY_FAMILY), flags: NLM_F_ROOT | NLM_F_MATCH)
        // struct inet_diag_req_v2
        request.append(UInt8(truncatingIfNeeded: family.number))
        request.append(UInt8(truncatingIfNeeded: Int32(IPPROTO_TCP)))
        request.append(UInt8(1 << (INET_DIAG_INFO - 1)))
        request.append(UInt8(0))
        request.append(UInt32(1) << UInt32(TCP_ESTABLISHED))
        // struct inet_diag_sockid: any
        for _ in 0..<12 { request.append(UInt32(0)) }
        return try dump(request) { (message, payload) throws(NetlinkError) in
            guard message.type == Int(SOCK_DIAG_BY_FAMILY) else { throw .unexpected(type: message.type) }
            return try TCPFlow(parsing: payload)
        }
    }
}

/// The result of a dump.
package struct Dump<Element: Sendable>: Sendable {
    package var elements: [Element] = []
    /// False if the tables changed while the kernel walked them, in every try: elements may be missing or double.
    package var isConsistent = true

    package init() {}
}

extension Dump: Equatable where Element: Equatable {}
