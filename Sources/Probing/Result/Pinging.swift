/// Whoever tries whether a router answers.
package protocol Pinging: Sendable {
    /// Sends one echo request; never throws, as a failure is a result.
    func ping(_ gateway: ProbeSurroundings.Gateway, timeout: Duration) async -> ProbeResult
}
