import Probing

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
