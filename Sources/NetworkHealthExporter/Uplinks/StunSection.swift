import Posix
import StrictYAML

/// The key `stun`: who is asked for the public address; nobody unless it is named.
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
