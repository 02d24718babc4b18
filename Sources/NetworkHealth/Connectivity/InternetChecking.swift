import Posix
import Probing

/// Whether to probe the internet behind the path, and which hosts.
///
/// ```swift
/// let prober = NetworkMonitor(internet: .probing())
/// prober.start()
/// for await isOnline in prober.connectivity { print(isOnline ? "online" : "offline") }
/// ```
///
/// No host is contacted unless a program uses `.probing()`.
public struct InternetChecking: Sendable {
    /// nil: the internet is not probed.
    let configuration: InternetConfiguration?

    /// The path alone: nothing is sent.
    public static let none = InternetChecking(configuration: nil)

    /// Probes hosts on the internet, first on each new path and then at an interval.
    ///
    /// The defaults are public hosts: Google and Mozilla by HTTP, Cloudflare by HTTPS, Google by HTTPS where the
    /// certificate of Cloudflare is not trusted, and where names cannot be resolved an address of Cloudflare's resolver. Each list replaces its default, so that only its hosts are contacted.
    ///
    /// - Parameters:
    ///   - checks: the first is requested in each round, the others when its answer is not conclusive.
    ///   - https: URLs requested after those; any answer with a valid certificate counts. Each further host is requested
    ///     only after the certificate of the one before it was not trusted. Certificates that are not trusted do not make
    ///     this host offline.
    ///   - literals: connected to only when names cannot be resolved, such as `192.0.2.1:443` and `[2001:db8::1]:443`;
    ///     anything but an address with a port is ignored.
    ///   - interval: between rounds while all probes succeed.
    ///   - expensiveInterval: the same on an expensive path.
    ///   - timeout: for each request.
    /// - Returns: the parameter for ``NetworkMonitor``.
    public static func probing(
        checks: [Check] = Check.publicHosts,
        https: [String] = publicHTTPS,
        literals: [String] = publicLiterals,
        interval: Duration = .seconds(30),
        expensiveInterval: Duration = .seconds(300),
        timeout: Duration = .seconds(3)
    ) -> InternetChecking {
        var configuration = InternetConfiguration()
        configuration.probes = checks.map(InternetConfiguration.Check.init)
        configuration.https = https
        configuration.literals = literals.compactMap { SocketAddress($0) }
        configuration.interval = interval
        configuration.expensiveInterval = expensiveInterval
        configuration.timeout = timeout
        return InternetChecking(configuration: configuration)
    }

    /// The default URLs of `https`.
    public static let publicHTTPS = InternetConfiguration().https
    /// The default addresses of `literals`.
    public static let publicLiterals = InternetConfiguration().literals.map(\.description)
}

extension InternetChecking {
    /// An HTTP request with a known answer: any other answer comes from a captive portal.
    public struct Check: Sendable, Equatable {
        /// Its name in errors and metrics.
        public var name: String
        /// A plain HTTP URL, so that a captive portal can answer in its place.
        public var url: String
        /// The answer without a captive portal.
        public var expectation: Expectation

        /// Creates a check.
        public init(name: String, url: String, expectation: Expectation) {
            self.name = name
            self.url = url
            self.expectation = expectation
        }

        /// The defaults: Google's and Mozilla's.
        public static let publicHosts = InternetConfiguration().probes.map(Check.init)
    }

    /// The answer without a captive portal.
    public enum Expectation: Sendable, Equatable {
        /// This HTTP status.
        case status(Int)
        /// A 2xx status, and a body that begins so.
        case bodyPrefix(String)
    }
}

extension InternetChecking.Check {
    init(_ check: InternetConfiguration.Check) {
        let expectation: InternetChecking.Expectation =
            switch check.expectation {
            case .status(let status): .status(status)
            case .bodyPrefix(let prefix): .bodyPrefix(prefix)
            }
        self.init(name: check.name, url: check.url, expectation: expectation)
    }
}

extension InternetConfiguration.Check {
    init(_ check: InternetChecking.Check) {
        let expectation: InternetConfiguration.Expectation =
            switch check.expectation {
            case .status(let status): .status(status)
            case .bodyPrefix(let prefix): .bodyPrefix(prefix)
            }
        self.init(name: check.name, url: check.url, expectation: expectation)
    }
}
