/// Which server a test uses, and how it is reached.
public struct SpeedTestConfig: Sendable {
    /// The server's root, absolute, http or https.
    public var serverURL: String
    /// What the server understands.
    public var `protocol`: SpeedTestProtocol
    /// Who performs the requests; of no effect with `ndt7`, which is no plain HTTP.
    public var networking: any SpeedTestNetworking

    /// A test against this server.
    public init(
        serverURL: String,
        protocol: SpeedTestProtocol = .speedlab,
        networking: any SpeedTestNetworking = TransferNetworking()
    ) {
        self.serverURL = serverURL
        self.protocol = `protocol`
        self.networking = networking
    }
}
