#if TSAN
    import Glibc
#else
    package import Synchronization
#endif

/// A mutex around one value: the only place where this package names a lock.
///
/// Yield, resume and log after `withLock` has returned, never inside it.
package final class Locked<State: ~Copyable>: Sendable {
    #if TSAN
        // The thread sanitizer does not understand `Mutex` and reports races that are none, so it gets a pthread mutex.
        // Sendable by proof: `state` is touched only between lock and unlock of `mutex`. An empty one has its own address behind a
        // pointer, and that of `mutex` in this class.
        private nonisolated(unsafe) let state: UnsafeMutablePointer<State>
        private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

        @usableFromInline
        package init(_ state: consuming sending State) {
            self.state = .allocate(capacity: 1)
            self.state.initialize(to: state)
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
            state.deinitialize(count: 1)
            state.deallocate()
        }

        @usableFromInline
        package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state.pointee)
        }
    #else
        // For `Revised`, whose functions are inlinable. Swift 6.3 does not inline those of `package` access into other modules.
        @usableFromInline let mutex: Mutex<State>

        @inlinable
        package init(_ state: consuming sending State) {
            mutex = Mutex(state)
        }

        @inlinable
        package func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}
