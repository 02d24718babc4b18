extension Duration {
    /// Milliseconds for C, rounded up, from 0 to Int32.max.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let rounded = attoseconds / 1_000_000_000_000_000 + (attoseconds % 1_000_000_000_000_000 > 0 ? 1 : 0)
        return Int32(clamping: max(0, min(seconds, 10_000_000) * 1000 + rounded))
    }
}
