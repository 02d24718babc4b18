import Posix
import StrictYAML

/// The key `stun`: the servers that are asked for the public address of this host; none by default.
struct StunSection: Sendable, Equatable {
    var servers: [SocketAddress] = []
    var interval = Duration.seconds(300)

    static var keys: [YAMLKey<StunSection>] {
        [
            .key("servers", \.servers, .list(of: .routableEndpoint(port: 3478))),
            .key("interval", \.interval, .duration(in: .seconds(30) ... .seconds(86_400))),
        ]
    }
}
