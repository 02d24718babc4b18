/// Whoever tries whether a TCP port at an address answers.
package protocol Connecting: Sendable {
    /// Makes a connection and closes it; never throws, as a failure is a result.
    func connect(
        to endpoint: InternetConfiguration.Endpoint,
        interface: String?,
        timeout: Duration
    ) async -> ProbeResult
}
