import Posix
import Probing

/// Whether to look for an internet behind the path, and by asking whom.
///
/// Nobody is contacted unless a program writes `.probing()`.
public struct InternetChecking: Sendable {
    /// nil: nobody asks.
    let configuration: InternetConfiguration?

    /// The path alone: nothing is sent.
    public static let none = InternetChecking(configuration: nil)

    /// Asks hosts of the internet, at first on each new path and then at an interval.
    ///
    /// The defaults are public hosts of others: Google and Mozilla by HTTP, Cloudflare by HTTPS, and where names cannot be
    /// resolved an address of Cloudflare's resolver. Name your own to contact nobody else; each list is used as given.
    ///
    /// - Parameters:
    ///   - checks: the first is asked in each round, the others where its answer is not conclusive.
    ///   - https: URLs asked after those; any answer with a valid certificate counts.
    ///   - literals: connected to only when names cannot be resolved, such as `192.0.2.1:443` and `[2001:db8::1]:443`;
    ///     what is no address with a port is left out.
    ///   - interval: from one round to the next while all is well.
    ///   - expensiveInterval: the same on a path that costs money.
    ///   - timeout: for each request.
    /// - Returns: what ``NetworkMonitor`` wants.
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

    /// Where `.probing()` asks by HTTPS by default.
    public static let publicHTTPS = InternetConfiguration().https
    /// Where it connects to by default when names cannot be resolved.
    public static let publicLiterals = InternetConfiguration().literals.map(\.description)
}

extension InternetChecking {
    /// One HTTP request whose answer is known beforehand: another answer is a portal's.
    public struct Check: Sendable, Equatable {
        /// What to call it.
        public var name: String
        /// Plain HTTP, so that a portal can answer in its place.
        public var url: String
        /// What an open internet answers.
        public var expectation: Expectation

        /// A check.
        public init(name: String, url: String, expectation: Expectation) {
            self.name = name
            self.url = url
            self.expectation = expectation
        }

        /// The two asked by default: Google's and Mozilla's.
        public static let publicHosts = InternetConfiguration().probes.map(Check.init)
    }

    /// The answer of an open internet.
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
