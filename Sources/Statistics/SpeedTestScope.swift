import Synchronization

/// What a caller learns about the speed tests that run inside its call, whichever type wraps them.
///
/// `NetworkHealth.detailedSnapshot` passes a scope to the tasks of any `SpeedTester`, and `SpeedTestCore` reports to it: a
/// result that crossed no uplink must not count for one.
package final class SpeedTestScope: Sendable {
    /// The scope of the calling task; nil: nothing is asked.
    @TaskLocal package static var current: SpeedTestScope?

    private let local = Atomic(false)

    package init() {}

    /// Whether a test was against an address of this host.
    package var hasLocalTest: Bool { local.load(ordering: .relaxed) }

    /// Notes a test.
    package func tested(isLocal: Bool) {
        if isLocal { local.store(true, ordering: .relaxed) }
    }
}
