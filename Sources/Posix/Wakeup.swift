import CLinux
import Glibc

/// An event descriptor (eventfd(2)) that ends another thread's `poll`.
package struct Wakeup: ~Copyable, Sendable {
    private let descriptor: Descriptor

    package init() throws(SystemError) {
        descriptor = try Descriptor(owning: eventfd(0, Int32(NHE_EFD_FLAGS)), from: "eventfd")
    }

    /// For `poll`, which reports it readable after `signal()`.
    package var number: Int32 { descriptor.number }

    /// Wakes the waiting thread; safe from any thread, and from a signal handler.
    package func signal() {
        var one: UInt64 = 1
        _ = write(descriptor.number, &one, MemoryLayout<UInt64>.size)
    }

    /// Forgets the signals so far.
    package func drain() {
        var count: UInt64 = 0
        _ = read(descriptor.number, &count, MemoryLayout<UInt64>.size)
    }
}
