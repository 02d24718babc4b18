import NetworkPath
import Posix
import Probing

/// The way to the internet over one family, and whose each stretch of it may be; pure.
///
/// Distances are those of hops: 0 is this host, 1 its router, nil the servers. One number decides whose a stretch is: the
/// distance of the provider's first hop. Where addresses leave that open, each possible number counts.
struct Way: Sendable {
    let family: AddressFamily
    /// Those that have answered, the nearest first; without the destination of the probes.
    let hops: [HopReport.Hop]
    /// Where the provider's first hop may be.
    let firstProviderHop: ClosedRange<Int>
    /// The farthest router that was probed, whether or not it answers.
    private let farthest: Int
    private let isTunnel: Bool

    init(_ report: HopReport, in evidence: FaultEvidence) {
        family = report.family
        let routers = report.hops.filter { $0.distance < report.end ?? .max }.sorted { $0.distance < $1.distance }
        hops = routers.filter { !$0.addresses.isEmpty }
        farthest = max(1, routers.last?.distance ?? 1)
        isTunnel = evidence.path?.interface?.isTunnel ?? false
        firstProviderHop = Self.firstProviderHop(hops, farthest: farthest, in: evidence)
    }

    private static func firstProviderHop(
        _ hops: [HopReport.Hop],
        farthest: Int,
        in evidence: FaultEvidence
    ) -> ClosedRange<Int> {
        if let known = evidence.firstProviderHop { return known...known }
        let interface = evidence.path?.interface
        // Behind a modem of this host, or in a mobile network, there is no router at home.
        let isDirect = interface?.isPointToPoint == true && interface?.isTunnel == false
        if isDirect || interface?.type == .cellular { return 1...1 }
        var least = 2
        for hop in hops {
            guard let address = hop.addresses.last else { continue }
            switch HopOwner(address, ownAddresses: evidence.ownAddresses) {
            // A router with a public address may be one of a data centre: it is the first router all the same.
            case .provider(let isShared) where hop.distance >= least || isShared:
                return min(least, hop.distance)...hop.distance
            case .home where hop.distance >= least: least = hop.distance + 1
            default: continue
            }
        }
        return least...max(least, farthest + 1)
    }

    /// The places that a fault between two points may be at; one: it is that.
    ///
    /// - Parameters:
    ///   - start: the distance of the last point that is well.
    ///   - end: that of the first one that is not; nil: the servers.
    ///   - kind: what the fault does.
    /// - Returns: at least one.
    func places(from start: Int, to end: Int?, _ kind: FaultKind) -> Set<FaultLocation> {
        let last = end ?? max(start, farthest)
        return firstProviderHop.reduce(into: []) { places, first in
            for distance in start..<max(start, last) { places.formUnion(hopPlaces(behind: distance, first, kind)) }
            if end == nil { places.formUnion(serverPlaces(behind: last, first, isOneHop: start == last)) }
        }
    }

    /// The places of what a router reports that has no route.
    func places(behindRouter distance: Int) -> Set<FaultLocation> {
        Set(firstProviderHop.map { distance > farthest ? .internet : distance < $0 ? .access : .provider })
    }

    /// From one hop to the next.
    private func hopPlaces(behind distance: Int, _ first: Int, _ kind: FaultKind) -> Set<FaultLocation> {
        guard distance > 0 else {
            // What a tunnel's first hop does not say is whether the line below it is well.
            if isTunnel { return [.vpn, .link, .router, .access, .provider] }
            return first == 1 ? [.link, .access] : [kind == .outage ? .router : .link]
        }
        if isTunnel { return [.vpn] }
        return [distance < first ? .access : .provider]
    }

    /// From the last hop that was probed to the servers.
    private func serverPlaces(behind distance: Int, _ first: Int, isOneHop: Bool) -> Set<FaultLocation> {
        if isTunnel { return distance > 1 ? [.internet] : [.vpn] }
        // All that is known to be behind the provider's first hop is the provider's.
        return distance < first ? [.access, .provider, .internet] : distance == first ? [.provider] : [.internet]
    }
}

extension Way {
    /// A point as sentences name it.
    func name(_ distance: Int?) -> String {
        guard let distance else { return "the servers on the internet" }
        guard distance > 0 else { return "this computer" }
        let address = hops.first { $0.distance == distance }?.addresses.last?.description
        let role =
            switch distance {
            case _ where isTunnel: "hop \(distance) in the tunnel"
            case 1 where firstProviderHop.lowerBound > 1: "your router"
            case ..<firstProviderHop.lowerBound: "another router of yours"
            case firstProviderHop.lowerBound where firstProviderHop.count == 1: "the first hop of your provider"
            case firstProviderHop.upperBound...: "hop \(distance), at your provider"
            default: "hop \(distance)"
            }
        return address.map { "\($0), \(role)" } ?? role
    }
}
