import FoundationEssentials
import NetworkHealth
import NetworkPath
import Probing
import Statistics

/// What a container adopts from a snapshot of its host's exporter.
struct HostReport: Sendable, Equatable {
    var path: PathPolicy.HostFacts
    var quality: QualityHistory.HostQuality
    /// Of the moment of the snapshot; nil: unknown.
    var latency: NetworkLatency?
    /// Of the internet behind the host's path; nil: unknown.
    var internet: InternetState?
    /// Where the host denies certificates that are not trusted, they are an outage here, too.
    var internetCause: InternetCause?
    /// What it has found to be wrong; nil: it does not say.
    var faults: [Fault]?

    /// nil where that exporter is in a container itself, and sees no more than this one.
    ///
    /// - Parameters:
    ///   - snapshot: of the host's exporter.
    ///   - date: when it arrived.
    init?(_ snapshot: SnapshotDocument, at date: Date) {
        guard snapshot.viewpoint == Path.Viewpoint.host.rawValue else { return nil }
        path = PathPolicy.HostFacts(
            device: snapshot.interfaceName.flatMap { !$0.isEmpty && $0.isShort(64) ? $0 : nil },
            type: Interface.InterfaceType(ConnectionType(rawValue: snapshot.connectionType) ?? .unknown),
            isExpensive: snapshot.isExpensive,
            isConstrained: snapshot.isConstrained
        )
        quality = QualityHistory.HostQuality()
        if let age = snapshot.measurementAgeSeconds, age >= 0, age < 1e9 {
            let measurement = SpeedMeasurement(
                download: snapshot.downloadSpeedMbps.flatMap(BitRate.init(plausibleMegabits:)),
                upload: snapshot.uploadSpeedMbps.flatMap(BitRate.init(plausibleMegabits:)),
                // To the minute: the same measurement shall be equal in each snapshot.
                measuredAt: Date(timeIntervalSince1970: ((date.timeIntervalSince1970 - age) / 60).rounded() * 60),
                isLowerBound: snapshot.speedIsLowerBound ?? false,
                uncertainty: snapshot.speedUncertaintyRatio.flatMap { (0...1).contains($0) ? $0 : nil } ?? 0
            )
            quality.measurement = measurement.decisive == nil ? nil : measurement
        }
        if snapshot.qualitySource == QualitySource.estimated.rawValue {
            quality.estimate = snapshot.quality.flatMap(NetworkQuality.init).flatMap { $0 == .offline ? nil : $0 }
        }
        latency = NetworkLatency(snapshot)
        faults = [Fault](snapshot)
        switch (snapshot.online, snapshot.internetState.flatMap(InternetState.init)) {
        case (nil, _): internet = nil
        case (true?, let state): internet = state.flatMap { $0.isOnline(cause: nil) ? $0 : nil } ?? .online
        // Without a path, the host's network is what the container lacks.
        case (false?, nil), (false?, .noPath?), (false?, .unknown?): internet = .noInternet
        case (false?, let state?):
            internetCause = state == .tlsUntrusted ? .tlsUntrusted : nil
            internet = state.isOnline(cause: internetCause) ? .noInternet : state
        }
    }
}

extension NetworkLatency {
    /// What a snapshot says; nil where that is nothing, or no network has such values.
    init?(_ snapshot: SnapshotDocument) {
        func duration(_ seconds: Double?) -> Duration? {
            seconds.flatMap { (0...3600).contains($0) ? .microseconds(Int64(($0 * 1e6).rounded())) : nil }
        }
        self.init(
            latency: duration(snapshot.latency),
            jitter: duration(snapshot.jitterSeconds),
            lossRatio: snapshot.lossRatio.flatMap { (0...1).contains($0) ? $0 : nil }
        )
        if self == NetworkLatency() { return nil }
    }
}

extension [Fault] {
    /// What a snapshot says, by words that this version knows; nil where it says nothing.
    init?(_ snapshot: SnapshotDocument) {
        guard let documents = snapshot.faults else { return nil }
        let known = documents.lazy.compactMap { Fault($0, taken: snapshot.timestamp, now: .now) }
        self = Dictionary(known.map { ($0.pair, $0) }) { first, _ in first }.values.sorted { $0.pair < $1.pair }
    }
}

extension BitRate {
    /// nil for a number that no link has.
    fileprivate init?(plausibleMegabits number: Double) {
        guard number >= 0, number < 1e9 else { return nil }
        self = .megabits(number)
    }
}

extension Interface.InterfaceType {
    fileprivate init(_ type: ConnectionType) {
        self =
            switch type {
            case .wifi: .wifi
            case .cellular: .cellular
            case .ethernet: .wiredEthernet
            case .other: .other
            case .unknown: .unknown
            }
    }
}
