import Posix
import Probing

/// Instants counted in seconds from one fixed moment.
enum Moment {
    private static let start = SuspendingClock().now

    /// In whole microseconds.
    static func at(_ seconds: Double) -> SuspendingClock.Instant {
        start.advanced(by: .microseconds(Int64((seconds * 1e6).rounded())))
    }

    /// Back to seconds, in whole microseconds, never before the instant.
    static func seconds(_ instant: SuspendingClock.Instant) -> Double {
        let (seconds, attoseconds) = start.duration(to: instant).components
        return Double(seconds) + Double((attoseconds + 999_999_999_999) / 1_000_000_000_000) / 1e6
    }
}

extension InternetPath {
    /// A satisfied path over one router for each family; by default each generation has its own device.
    static func make(
        _ generation: UInt64 = 1,
        families: Set<AddressFamily> = [.ipv4],
        isExpensive: Bool = false,
        isConstrained: Bool = false,
        device: Int? = nil,
        portal: String? = nil,
        nameservers: [String] = []
    ) -> InternetPath {
        InternetPath(
            generation: generation,
            isSatisfied: true,
            isExpensive: isExpensive,
            isConstrained: isConstrained,
            families: families,
            gateways: ["192.0.2.1", "fe80::1%eth0"].compactMap(ProbeContext.Gateway.init),
            interfaces: [device ?? Int(generation)],
            portal: portal,
            nameservers: nameservers.compactMap { IPAddress($0) }
        )
    }

    static func unsatisfied(_ generation: UInt64) -> InternetPath {
        InternetPath(generation: generation, isSatisfied: false)
    }
}

extension PassiveReport {
    static func make(
        _ second: Double,
        received: Set<AddressFamily> = [],
        stalled: Set<AddressFamily> = [],
        retransmitted: Double? = nil
    ) -> PassiveReport {
        var report = PassiveReport(at: Moment.at(second))
        report.receivedFamilies = received
        report.stalledFamilies = stalled
        report.retransmittedShare = retransmitted
        return report
    }
}
