extension ProbeResult {
    /// The same, but `unreachable` where the path was missing and nobody can have been asked.
    func seen(from surroundings: ProbeSurroundings) -> ProbeResult {
        guard !surroundings.isConnected, failure == .resolve || failure == .timeout else { return self }
        var result = self
        result.failure = .unreachable
        return result
    }
}
