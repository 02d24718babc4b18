import Lab

/// A host and a server at the ends of a cable that carries a given rate each way.
struct ShapedCable {
    let host: Namespace
    private let far: Namespace
    private let server: Script

    /// - Parameters:
    ///   - rate: bits a second.
    ///   - queue: milliseconds that a packet waits at most.
    ///   - server: a program in Python, for port 8000 of 198.18.0.1.
    /// - Throws: where the namespaces cannot be made, or the server does not start.
    init(rate: Int, queue: Int, server: String) throws {
        (host, far) = (try Namespace(), try Namespace())
        try host.ip("link add eth0 gso_max_segs 1 type veth peer name eth0 gso_max_segs 1 netns \(far.name)")
        // What passes in the 4 ms by which a timer may be late (tc-tbf(8)): with less a busy machine makes a slower line.
        let burst = max(4096, rate / 8 / 250)
        for (namespace, address) in [(host, "198.18.0.2"), (far, "198.18.0.1")] {
            try namespace.ip(
                """
                link set eth0 addrgenmode none
                address add \(address)/24 dev eth0
                link set eth0 up
                """
            )
            try run(
                ["tc", "-n", namespace.name, "qdisc", "add", "dev", "eth0", "root", "tbf"]
                    + ["rate", "\(rate)bit", "burst", "\(burst)", "latency", "\(queue)ms"]
            )
        }
        self.server = try Script(in: far, server)
    }
}
