/// What a speed that counts needs, as far as it is known.
package enum SpeedTestAccess: Sendable, Equatable {
    /// Not known: the program that asks runs the tests.
    case unknown
    /// A test can be started.
    case open
    /// Something else comes first: a sentence, without a full stop at its end.
    case needs(String)

    /// What the user can do about a measurement that is missing, or not sufficient.
    ///
    /// `isLimited`: the processor of this machine limited the last test.
    func step(for reason: HealthReason, isLimited: Bool = false) -> String {
        switch self {
        case .needs(let step): step
        case _ where isLimited: "Run one when the machine is less busy"
        case .unknown where reason == .unmeasured: "Run a speed test, or configure a speed-test server"
        case .open where reason == .unmeasured: "Run a speed test"
        case .unknown, .open: "Run a new speed test"
        }
    }
}
