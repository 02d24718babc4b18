package import HTTPTransfer

/// Whom to measure against.
package struct SpeedTestServer: Sendable, Equatable {
    /// For labels and logs.
    package var name: String
    package var dialect: SpeedTestProtocol
    /// The base of all its paths, absolute, http or https.
    package var url: String
    /// TCP_CONGESTION of our connections, which decides how full an upload keeps the buffers; nil: the system's.
    package var congestionControl: String?
    /// ndt7 against M-Lab publishes the result with this host's address: it needs a yes.
    package var acceptsDataPolicy = false
    /// Sent with every request, such as `Authorization`.
    package var headers: [String: String] = [:]
    package var tls = TransferTLS()
    /// nil: no proxy.
    package var proxy: String?

    /// Whether the kernel may know a congestion control by that name (TCP_CA_NAME_MAX is 16, its end included).
    package static func isCongestionControl(_ name: String) -> Bool {
        (1...15).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    package init(name: String, dialect: SpeedTestProtocol, url: String) {
        self.name = name
        self.dialect = dialect
        self.url = url
    }
}

/// How much one test may do.
package struct SpeedTestOptions: Sendable, Equatable {
    /// In this order; none: only the idle latency.
    package var directions: [Direction] = [.download, .upload]
    /// The measured window of each direction, after the warm-up.
    package var window: ClosedRange<Duration> = .seconds(5) ... .seconds(10)
    /// Bytes that may move in each direction, latency probes and warm-up included; nil: no limit.
    package var byteLimit: [Direction: UInt64] = [:]
    /// When a direction is ended whatever it has measured.
    package var directionWall: Duration = .seconds(20)
    /// The same for the whole test.
    package var testWall: Duration = .seconds(90)
    /// Bound to this device; nil: the kernel chooses.
    package var interface: String?
    /// Requests that the idle latency is taken from.
    package var idleSamples = 20

    package init() {}
}
