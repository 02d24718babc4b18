import NetworkHealth
import Posix
import Probing
import PrometheusExposition
import Statistics

/// Where the faults of now are, and what the routers on the way answer.
enum FaultMetrics {
    private static let labels = Fault.Pair.all.map { pair -> (Fault.Pair, Labels) in
        (pair, ["location": pair.location.rawValue, "kind": pair.kind.rawValue])
    }

    /// The faults of a moment.
    struct Pairs: Sendable, Equatable {
        var found: Set<Fault.Pair>
        /// Whether the others are known not to be.
        var areAll = true
    }

    static func faults(_ pairs: Pairs) -> [MetricFamily] {
        [
            .gauge(
                "network_health_fault",
                help:
                    "Whether there is a fault of this kind at this place, by what was measured; several may hold at once.",
                samples: labels.filter { pairs.areAll || pairs.found.contains($0.0) }.map {
                    Sample(labels: $1, pairs.found.contains($0))
                }
            )
        ].filter { !$0.isEmpty }
    }

    static func seconds(_ seconds: [Fault.Pair: Duration]) -> [MetricFamily] {
        [
            .counter(
                "network_health_fault_seconds_total",
                help: "Time in which there was a fault of this kind at this place.",
                samples: labels.map { Sample(labels: $1, seconds[$0, default: .zero] / .seconds(1)) }
            )
        ]
    }

    static func hops(_ hops: [ShownHop]) -> [MetricFamily] {
        [
            .info(
                "network_health_hop_info",
                help: "The routers on the way to the internet, by their distance, with their last address.",
                labels: hops.compactMap { shown in
                    shown.hop.addresses.last.map { address in
                        var labels = shown.labels
                        labels.append("location", shown.location.rawValue)
                        labels.append("address", "\(address)")
                        return labels
                    }
                }
            ),
            .gauge(
                "network_health_hop_latency_seconds",
                help: "Round trip to a router on the way: the median of its last ten answers.",
                samples: hops.compactMap { shown in
                    shown.latency.map { Sample(labels: shown.labels, $0 / .seconds(1)) }
                }
            ),
            .counter(
                "network_health_hop_probes_total",
                help: "Number of probes to a router on the way.",
                samples: hops.map { Sample(labels: $0.labels, $0.hop.probes) }
            ),
            .counter(
                "network_health_hop_replies_total",
                help:
                    "Number of answers of a router on the way; many routers limit or suppress them, so that silence alone proves nothing.",
                samples: hops.map { Sample(labels: $0.labels, $0.hop.replies) }
            ),
        ].filter { !$0.isEmpty }
    }

    static func resolvers(_ servers: [ShownResolver]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_resolver_up",
                help:
                    "Whether a configured name server, asked for itself, answered the last question without an error.",
                samples: servers.compactMap { server in server.isUp.map { Sample(labels: server.labels, $0) } }
            ),
            .gauge(
                "network_health_resolver_duration_seconds",
                help: "How long a configured name server took for its last answer; absent while it does not answer.",
                samples: servers.compactMap { server in
                    server.duration.map { Sample(labels: server.labels, $0 / .seconds(1)) }
                }
            ),
        ].filter { !$0.isEmpty }
    }
}

/// A configured name server, and its answer to the last question.
struct ShownResolver: Sendable, Equatable {
    var address: String
    var isUp: Bool?
    var duration: Duration?

    init(_ report: ResolverReport) { (address, isUp, duration) = (report.address, report.isUp, report.duration) }

    fileprivate var labels: Labels { ["resolver": address] }
}

/// A router on the way, and where it is.
struct ShownHop: Sendable, Equatable {
    var family: AddressFamily
    var hop: HopReport.Hop
    var location: FaultLocation

    /// The median of the last ten answers; nil before the first.
    var latency: Duration? {
        hop.window.newest().list.compactMap(\.self).suffix(10).median
    }

    fileprivate var labels: Labels { ["hop": "\(hop.distance)", "family": family.rawValue] }
}

extension HopReport {
    /// Its routers and their places, by what is known now.
    func shown(_ evidence: FaultEvidence) -> [ShownHop] {
        hops.map { ShownHop(family: family, hop: $0, location: location(ofHop: $0.distance, in: evidence)) }
    }
}
