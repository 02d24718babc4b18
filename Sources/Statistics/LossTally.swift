import Glibc

/// How many probes were sent, and how many of them were lost.
package struct LossTally: Sendable, Equatable {
    package var probes: Int
    package var losses: Int

    package init(probes: Int = 0, losses: Int = 0) { (self.probes, self.losses) = (probes, losses) }

    package var answers: Int { probes - losses }

    /// The share of losses, 0 to 1; 0 without a probe.
    package var ratio: Double { probes > 0 ? Double(losses) / Double(probes) : 0 }

    /// How many standard errors the share of `other` is above this one (two proportions, pooled); 0 without probes.
    package func excess(of other: LossTally) -> Double {
        guard probes > 0, other.probes > 0 else { return 0 }
        let (mine, theirs) = (Double(probes), Double(other.probes))
        let pooled = Double(losses + other.losses) / (mine + theirs)
        let error = (pooled * (1 - pooled) * (1 / mine + 1 / theirs)).squareRoot()
        return error > 0 ? (other.ratio - ratio) / error : 0
    }

    /// How many standard errors the share is above one that is known, 0 to 1 exclusive; 0 without probes.
    package func excess(over known: Double) -> Double {
        guard probes > 0 else { return 0 }
        return (ratio - known) / (known * (1 - known) / Double(probes)).squareRoot()
    }

    /// How likely `other` has so many of the losses of both by chance, if both lose alike: where losses are few, standard
    /// errors understate it (conditional binomial test of two rates); 1 without probes.
    package func chance(of other: LossTally) -> Double {
        let (all, share) = (losses + other.losses, Double(other.probes) / Double(max(1, probes + other.probes)))
        guard share > 0, share < 1, other.losses > 0 else { return 1 }
        let odds = log(share / (1 - share))
        var (term, sum) = (Double(all) * log(1 - share), 0.0)
        for count in 0...all {
            if count >= other.losses { sum += exp(term) }
            term += log(Double(all - count) / Double(count + 1)) + odds
        }
        return min(1, sum)
    }

    package static func + (left: LossTally, right: LossTally) -> LossTally {
        LossTally(probes: left.probes + right.probes, losses: left.losses + right.losses)
    }
}
