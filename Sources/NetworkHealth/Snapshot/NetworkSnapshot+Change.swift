extension NetworkSnapshot {
    /// Whether anything but the time and the latency is different.
    func differs(from other: NetworkSnapshot?) -> Bool {
        guard let other else { return true }
        return quality != other.quality || connectionType != other.connectionType || isExpensive != other.isExpensive
            || isConstrained != other.isConstrained || interfaceName != other.interfaceName
            || downloadSpeedMbps != other.downloadSpeedMbps || uploadSpeedMbps != other.uploadSpeedMbps
    }
}
