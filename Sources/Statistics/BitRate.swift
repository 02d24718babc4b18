/// How fast data moves, in whatever unit it is read or printed.
package struct BitRate: Sendable, Hashable, Comparable {
    package var bitsPerSecond: Double

    package init(bitsPerSecond: Double) { self.bitsPerSecond = bitsPerSecond }

    package init(bytesPerSecond: Double) { bitsPerSecond = bytesPerSecond * 8 }

    /// So many 10⁶ bits per second.
    package static func megabits(_ megabits: Double) -> BitRate { BitRate(bitsPerSecond: megabits * 1e6) }

    /// In 10⁶ bits per second, as JSON and people read it.
    package var megabits: Double { bitsPerSecond / 1e6 }

    /// In bytes per second, as Prometheus has it.
    package var bytesPerSecond: Double { bitsPerSecond / 8 }

    /// Five significant digits, and no fraction of a bit: more than that is not measured.
    ///
    /// A rate that is rounded survives its way through decimal megabits unchanged.
    package var rounded: BitRate {
        guard bitsPerSecond.isFinite else { return self }
        var unit = 1.0
        while bitsPerSecond.magnitude / unit >= 100_000 { unit *= 10 }
        return BitRate(bitsPerSecond: (bitsPerSecond / unit).rounded() * unit)
    }

    package static func < (first: BitRate, second: BitRate) -> Bool { first.bitsPerSecond < second.bitsPerSecond }
}
