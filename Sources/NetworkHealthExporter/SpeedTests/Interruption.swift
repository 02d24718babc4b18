import SpeedTestCore

/// What ends a running test, other than the test itself and the end of the exporter.
enum Interruption: Sendable {
    case path, configuration, storage

    var cause: String {
        switch self {
        case .path: "the uplink changed, or the cost of the path no longer allows the test"
        case .configuration: "the configuration no longer contains the server, or allows fewer bytes"
        case .storage: "the bytes that the test would use next could not be stored in the file of --storage.path"
        }
    }
}

extension SpeedTestReport {
    /// The same test, with the cause of its end in the message of its failure.
    ///
    /// The reason stays `cancelled`: the reasons of a failure are a closed list. A test that ended by itself at the same
    /// time stays as it is.
    func interrupted(by interruption: Interruption) -> SpeedTestReport {
        guard let failure, failure.reason == .cancelled else { return self }
        var report = self
        report.failure = SpeedTestFailure(
            .cancelled,
            "cancelled: \(interruption.cause)",
            retryAfter: failure.retryAfter
        )
        return report
    }
}
