import Coordination
package import Logging

/// Logs why the network cannot be evaluated: without a state no other part of a program shows the reason.
package final class EvaluationLog: Sendable {
    private let logger: Logger
    /// Whether the late evaluation was logged.
    private let isLate = Locked(false)

    package init(_ logger: Logger = Logger(label: "NetworkHealth")) { self.logger = logger }

    /// Logs each change of a failure; nil: the kernel can be read.
    package func follow(_ failures: AsyncStream<String?>) async {
        var hasFailed = false
        for await failure in failures {
            if let failure {
                logger.error("The kernel's network state cannot be read, trying again: \(failure)")
                hasFailed = true
            } else if hasFailed {
                logger.info("The kernel's network state can be read again")
                hasFailed = false
            }
        }
    }

    /// The monitor has not started.
    func failed(_ error: any Error) { logger.error("The network cannot be watched: \(error)") }

    /// The first evaluation has not come in time; only the first call is logged.
    func late() {
        let isFirst = isLate.withLock { isLate in
            defer { isLate = true }
            return !isLate
        }
        if isFirst { logger.error("The first evaluation of the network took longer than 1 s: its state is unknown") }
    }
}
