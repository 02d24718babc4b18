import Lab
import Netlink
import Posix
import Testing

/// TCP connections of the real kernel, compared with what ss(8) says.
@Suite(.timeLimit(.minutes(3)))
struct FlowTests {
    /// Three connections of another program to itself, held until it ends.
    private static let connections = """
        import socket, sys
        family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
        listener = socket.create_server((sys.argv[1], 0), family=family)
        held = []
        for _ in range(3):
            client = socket.create_connection(listener.getsockname()[:2])
            server = listener.accept()[0]
            client.sendall(b"question")
            server.recv(8)
            server.sendall(b"answer")
            client.recv(6)
            held += [client, server]
        print("ready", flush=True)
        sys.stdin.read()
        """

    @Test(arguments: AddressFamily.allCases, [false, true])
    func `counts what ss counts`(family: AddressFamily, asNobody: Bool) throws {
        let namespace = try Namespace("link set lo up")
        let script = try Script(in: namespace, Self.connections, family == .ipv4 ? "127.0.0.1" : "::1")
        let flows = try namespace.inside(asNobody: asNobody) {
            var socket = try RequestSocket.diagnostics()
            let other: AddressFamily = family == .ipv4 ? .ipv6 : .ipv4
            #expect(try socket.tcpFlows(sockets: other).elements.isEmpty)
            return try socket.tcpFlows(sockets: family).elements
        }
        let ours = flows.map { flow in
            "\(flow.localPort) \(flow.remotePort) \(flow.inode) rtt \(flow.rtt?.microseconds ?? -1) "
                + "min \(flow.minRTT?.microseconds ?? -1) in \(flow.segmentsIn ?? 0) out \(flow.segmentsOut ?? 0)"
        }
        #expect(try ours.sorted() == Self.listed(in: namespace).sorted())
        #expect(ours.count == 6)
        withExtendedLifetime(script) {}
    }

    /// What ss(8) says, in the same words.
    private static func listed(in namespace: Namespace) throws -> [String] {
        let command = ["ip", "netns", "exec", namespace.name, "ss", "-HOtnie", "state", "established"]
        let lines = try run(command).split(separator: "\n")
        return lines.map { line in
            let words = line.split(separator: " ")
            func value(_ name: String) -> Substring {
                words.first { $0.hasPrefix("\(name):") }?.dropFirst(name.count + 1) ?? "0"
            }
            func microseconds(_ text: Substring) -> Int64 { Int64(((Double(text) ?? -1) * 1000).rounded()) }
            let ports = words[2...3].map { String($0.split(separator: ":").last ?? "") }
            return "\(ports[0]) \(ports[1]) \(value("ino")) rtt \(microseconds(value("rtt").prefix { $0 != "/" })) "
                + "min \(microseconds(value("minrtt"))) in \(value("segs_in")) out \(value("segs_out"))"
        }
    }
}

extension Duration {
    fileprivate var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
