package import HTTPTransfer

/// A speed-test server.
package struct SpeedTestServer: Sendable, Equatable {
    /// For labels and logs.
    package var name: String
    package var dialect: SpeedTestProtocol
    /// The base of all its paths, absolute, http or https.
    package var url: String
    /// TCP_CONGESTION of our connections, which decides how full an upload keeps the buffers; nil: the system default.
    package var congestionControl: String?
    /// M-Lab publishes results of ndt7 with this host's address: the user must agree.
    package var acceptsDataPolicy = false
    /// Sent with every request, such as `Authorization`.
    package var headers: [String: String] = [:]
    package var tls = TransferTLS()
    /// nil: no proxy.
    package var proxy: String?

    /// Whether results are published with this host's address, and the user has not agreed.
    package var lacksConsent: Bool {
        guard dialect == .ndt7, !acceptsDataPolicy, let base = WebURL(ndt7: url) else { return false }
        return base.isMLab || base.isLocator
    }

    /// Whether a text can be the name of a congestion control (TCP_CA_NAME_MAX is 16, with its terminator).
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

/// The limits of one test.
package struct SpeedTestOptions: Sendable, Equatable {
    /// In this order; empty: only the idle latency.
    package var directions: [Direction] = [.download, .upload]
    /// The measured window of each direction, after the warm-up.
    package var window: ClosedRange<Duration> = .seconds(5) ... .seconds(10)
    /// The maximum bytes of each direction, latency probes and warm-up included; nil: no limit.
    package var byteLimit: [Direction: UInt64] = [:]
    /// When a direction ends, whatever it has measured.
    package var directionWall: Duration = .seconds(20)
    /// When the test ends.
    package var testWall: Duration = .seconds(90)
    /// The device that connections are bound to; nil: the kernel chooses.
    package var interface: String?
    /// The number of requests for the idle latency.
    package var idleSamples = 20

    package init() {}
}
