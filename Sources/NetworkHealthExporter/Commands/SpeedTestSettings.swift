import HTTPTransfer
import SpeedTestCore

/// The speed-test server by flag, else by environment.
struct SpeedTestSettings: Sendable, Equatable {
    /// Replaces the servers of the configuration file.
    var server: SpeedTestServer?
    /// For `server` only.
    var acceptsDataPolicy = false

    init() {}

    /// - Throws: `UsageError`, also for a server of M-Lab without the consent that M-Lab requires.
    init(_ flags: SpeedTestFlags, _ environment: Environment) throws(UsageError) {
        try self.init(flags.server, flags.acceptDataPolicy, environment)
    }

    /// By the environment alone, for the commands without the flags.
    init(_ environment: Environment) throws(UsageError) { try self.init(nil, nil, environment) }

    /// Sets the server in a configuration that was read.
    @Sendable func override(_ configuration: inout Configuration) {
        if let server { configuration.speedTest.servers = [server] }
    }

    private init(_ text: String?, _ consent: Bool?, _ environment: Environment) throws(UsageError) {
        if let consent {
            acceptsDataPolicy = consent
        } else if let consent = try environment.isSet(.acceptDataPolicy) {
            acceptsDataPolicy = consent
        }
        let flag = FlagName.speedTestServer
        server = try Settings.choice(text, flag, environment, SpeedTestServer.flagExpectation) {
            SpeedTestServer(flag: $0)
        }
        server?.acceptsDataPolicy = acceptsDataPolicy
        if let server, server.lacksConsent {
            throw UsageError(
                """
                \(text == nil ? flag.variable : "\(flag)"): \(server.name) publishes each result with this \
                host's address: expected \(FlagName.acceptDataPolicy) (\(FlagName.acceptDataPolicy.variable)=true) beside it
                """
            )
        }
    }
}

extension SpeedTestServer {
    /// Of public services; docs/contacted-hosts.md lists these URLs.
    private static let presets = [
        SpeedTestServer(name: "cloudflare", dialect: .cloudflare, url: "https://speed.cloudflare.com"),
        SpeedTestServer(
            name: "mlab",
            dialect: .ndt7,
            url: "https://locate.measurementlab.net/v2/nearest/ndt/ndt7"
        ),
    ]

    static let presetNames = presets.map(\.name)

    static let flagExpectation =
        (SpeedTestProtocol.allCases.map { "\($0.rawValue)+URL" }.joined(separator: ", "))
        + " such as speedlab+http://192.0.2.1:10319/speedtest, or "
        + presetNames.joined(separator: " or ")

    /// `PROTOCOL+URL`, whose host becomes the name, or the name of a preset; nil for anything else.
    init?(flag text: String) {
        if let preset = Self.presets.first(where: { $0.name == text }) {
            self = preset
            return
        }
        let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let dialect = SpeedTestProtocol(rawValue: parts[0]),
            let url = WebURL.plain(parts[1], dialect.schemes), url.userInfo == nil
        else { return nil }
        self.init(name: url.host, dialect: dialect, url: parts[1])
    }
}

extension SpeedTestProtocol {
    /// Those of a server's URL.
    var schemes: [String] { self == .ndt7 ? ["http", "https", "ws", "wss"] : ["http", "https"] }
}
