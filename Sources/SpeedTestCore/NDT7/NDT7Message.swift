import FoundationEssentials
import Posix

/// A measurement that one side sends to the other in a text message; every part may be missing.
package struct NDT7Message: Codable, Sendable, Equatable {
    /// The counters of the application.
    package struct Application: Codable, Sendable, Equatable {
        /// Microseconds since the handshake.
        package var elapsedTime: Int64
        /// Payload sent or received since then.
        package var byteCount: Int64

        private enum CodingKeys: String, CodingKey {
            case elapsedTime = "ElapsedTime"
            case byteCount = "NumBytes"
        }
    }

    /// The two ends of the connection.
    package struct Connection: Codable, Sendable, Equatable {
        /// `address:port` of both.
        package var client: String
        package var server: String
        /// An opaque text that no other connection has.
        package var uuid: String?
        /// RFC 3339.
        package var startTime: String?
        /// Of the sender: our own addition, which other programs ignore.
        package var congestionControl: String?

        private enum CodingKeys: String, CodingKey {
            case client = "Client"
            case server = "Server"
            case uuid = "UUID"
            case startTime = "StartTime"
            case congestionControl = "CongestionControl"
        }
    }

    /// The sender's kernel counters of the connection, in microseconds and bytes.
    package struct TCP: Codable, Sendable, Equatable {
        package var elapsedTime: Int64?
        package var bytesAcked: Int64?
        package var bytesReceived: Int64?
        package var bytesSent: Int64?
        package var bytesRetrans: Int64?
        package var minRTT: Int64?
        package var rtt: Int64?
        package var rttVar: Int64?
        package var busyTime: Int64?
        package var rWndLimited: Int64?
        package var sndBufLimited: Int64?
        package var sndCwnd: Int64?
        package var deliveryRate: Int64?
        package var totalRetrans: Int64?

        private enum CodingKeys: String, CodingKey {
            case elapsedTime = "ElapsedTime"
            case bytesAcked = "BytesAcked"
            case bytesReceived = "BytesReceived"
            case bytesSent = "BytesSent"
            case bytesRetrans = "BytesRetrans"
            case minRTT = "MinRTT"
            case rtt = "RTT"
            case rttVar = "RTTVar"
            case busyTime = "BusyTime"
            case rWndLimited = "RWndLimited"
            case sndBufLimited = "SndBufLimited"
            case sndCwnd = "SndCwnd"
            case deliveryRate = "DeliveryRate"
            case totalRetrans = "TotalRetrans"
        }

        package init() {}

        /// Copies the kernel's counters, with the time since the handshake.
        init(_ info: TCPStatistics, elapsed: Duration) {
            elapsedTime = elapsed.wholeMicroseconds
            bytesAcked = Int64(clamping: info.bytesAcknowledged)
            bytesReceived = Int64(clamping: info.bytesReceived)
            bytesSent = Int64(clamping: info.bytesSent)
            bytesRetrans = Int64(clamping: info.bytesRetransmitted)
            minRTT = Int64(clamping: info.minimumRoundTrip)
            rtt = Int64(clamping: info.roundTrip)
            rttVar = Int64(clamping: info.roundTripVariation)
            busyTime = Int64(clamping: info.busyTime)
            rWndLimited = Int64(clamping: info.receiverLimited)
            sndBufLimited = Int64(clamping: info.senderLimited)
            sndCwnd = Int64(clamping: info.congestionWindow)
            deliveryRate = Int64(clamping: info.deliveryRate)
            totalRetrans = Int64(clamping: info.retransmissions)
        }
    }

    package var application: Application?
    package var connection: Connection?
    package var tcp: TCP?
    /// `client` or `server`: the side that measured.
    package var origin: String?
    /// `download` or `upload`.
    package var test: String?

    private enum CodingKeys: String, CodingKey {
        case application = "AppInfo"
        case connection = "ConnectionInfo"
        case tcp = "TCPInfo"
        case origin = "Origin"
        case test = "Test"
    }

    package init() {}

    /// Parses a message; nil for any other JSON, which is not an error of the test.
    package init?(json: String) {
        guard let message = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = message
    }

    /// The message as JSON; empty where it cannot be encoded.
    package var json: String {
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension Duration {
    /// Rounded down.
    var wholeMicroseconds: Int64 {
        components.seconds &* 1_000_000 &+ components.attoseconds / 1_000_000_000_000
    }
}

/// The constants of the ndt7 protocol (M-Lab, version 0.11).
package enum NDT7 {
    /// The only subprotocol of its WebSockets.
    package static let subprotocol = "net.measurementlab.ndt.v7"
    /// The duration of a test, from the handshake on; the server ends it.
    package static let nominalDuration = Duration.seconds(10)
    /// Bytes that the kernel takes beyond those on their way, so that a load stops soon after it is ended.
    static let unsentLimit: Int32 = 131_072
    /// The maximum bytes of a load message that must be accepted.
    package static let maximumMessage: UInt64 = 1 << 24

    /// The path of a test below the server's base.
    package static func path(_ direction: Direction) -> String { "/ndt/v7/\(direction.rawValue)" }
}
