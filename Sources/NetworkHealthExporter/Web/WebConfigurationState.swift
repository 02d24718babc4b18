import MicroHTTP

/// What is in force of the file of `--web.config.file` while it changes; pure.
///
/// A file that cannot be used closes the server: no request is answered by an older one. Certificates are different: their
/// files are replaced one after the other, so the older ones serve until the new ones had time to be complete.
struct WebConfigurationState {
    /// How long the last good certificates serve after their files have become unusable.
    static let grace = Duration.seconds(2)

    private(set) var current: LoadedWebConfiguration
    /// Why the file as it is now cannot be used, and since when.
    private(set) var failure: (reason: LoadedWebConfiguration.Failure, since: ContinuousClock.Instant)?

    init(_ current: LoadedWebConfiguration) { self.current = current }

    /// Takes what was read.
    ///
    /// - Returns: whether it differs from what was in force; a failure that lasts is reported once.
    mutating func take(
        _ result: Result<LoadedWebConfiguration, LoadedWebConfiguration.Failure>,
        at now: ContinuousClock.Instant
    ) -> Bool {
        switch result {
        case .success(let new):
            let isNew =
                failure != nil || new.configuration != current.configuration
                || new.context?.settings != current.context?.settings
            (current, failure) = (new, nil)
            return isNew
        case .failure(let reason):
            let isNew = failure?.reason.description != reason.description
            failure = (reason, failure?.since ?? now)
            return isNew
        }
    }

    /// For each request.
    var policy: Server.AccessPolicy {
        let configuration: WebConfiguration
        switch failure?.reason {
        case .configuration: return Server.AccessPolicy(isBroken: true)
        // An open connection needs no new handshake: a user who was removed must not go on with it.
        case .certificates(_, let new): configuration = new ?? current.configuration
        case nil: configuration = current.configuration
        }
        var headers = Headers()
        for (name, value) in configuration.http.headers.sorted(by: { $0.key < $1.key }) {
            headers.add(name, value)
        }
        return Server.AccessPolicy(users: configuration.users, headers: headers)
    }

    /// For each handshake; nil refuses it.
    func context(at now: ContinuousClock.Instant) -> TLSContext? {
        switch failure?.reason {
        case .configuration: nil
        case .certificates: failure.map { now - $0.since < Self.grace } == true ? current.context : nil
        case nil: current.context
        }
    }
}
