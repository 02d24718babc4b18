import Posix

/// Why a DNS probe failed, with words for people.
struct DNSProbeError: Error, Equatable {
    var failure: ProbeFailure
    var detail: String

    init(_ failure: ProbeFailure, _ detail: String) {
        self.failure = failure
        self.detail = detail
    }

    /// An error of the kernel, perhaps on the word of a router.
    init(_ error: SystemError) {
        self.init(ProbeFailure(errno: error.code), error.description)
    }
}
