#if TSAN
    import Glibc
#else
    public import Synchronization
#endif

/// A mutex around one value: the only place where this package names a lock.
///
/// Yield, resume and log after `withLock` has returned, never inside it.
///
/// The value must be no function, but may have one: an access to a function wraps it once more and stores that (Swift 6.3), so that it takes
/// 96 bytes more each time, and a call goes deeper until the stack ends.
///
/// It is public, though no product has this module: Swift 6.3 inlines functions of `package` access only within their module.
public final class Locked<State: ~Copyable>: Sendable {
    #if TSAN
        // The thread sanitizer does not understand `Mutex` and reports races that are none, so it gets a pthread mutex.
        // Sendable by proof: `state` is touched only between lock and unlock of `mutex`. An empty one has its own address behind a
        // pointer, and that of `mutex` in this class.
        private nonisolated(unsafe) let state: UnsafeMutablePointer<State>
        private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

        /// A mutex around its first value.
        public init(_ state: consuming sending State) {
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

        /// Waits for the lock, and calls `body` with it.
        public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state.pointee)
        }
    #else
        @usableFromInline let mutex: Mutex<State>

        /// A mutex around its first value.
        @inlinable
        public init(_ state: consuming sending State) {
            mutex = Mutex(state)
        }

        /// Waits for the lock, and calls `body` with it.
        @inlinable
        public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}

extension Locked where State: Sendable {
    /// Reads the value.
    @inlinable
    public func read<Value: Sendable, Failure: Error>(
        _ body: (State) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withLock { (state) throws(Failure) in try body(state) }
    }
}
