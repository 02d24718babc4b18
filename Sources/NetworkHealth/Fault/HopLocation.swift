import NetworkPath
import Posix
package import Probing
import Statistics

extension HopReport {
    /// The place of a router on the way; unknown where neither the configuration nor addresses say whose it is.
    package func location(ofHop distance: Int, in evidence: FaultEvidence) -> FaultLocation {
        if let end, distance >= end { return .internet }
        if evidence.path?.interface?.isTunnel == true { return .vpn }
        let first = Way(self, in: evidence).firstProviderHop
        if distance == 1, first.lowerBound > 1 { return .router }
        if distance < first.lowerBound { return .access }
        guard first.count == 1 else { return .unknown }
        return distance == first.lowerBound ? .access : .provider
    }

    /// The provider's first router; nil where neither the configuration nor addresses say which one that is, or it was not seen.
    package func firstProviderHop(in evidence: FaultEvidence) -> Hop? {
        let first = Way(self, in: evidence).firstProviderHop
        guard first.count == 1, end.map({ first.lowerBound < $0 }) ?? true else { return nil }
        return hops.first { $0.distance == first.lowerBound && !$0.addresses.isEmpty }
    }
}
