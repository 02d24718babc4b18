import CLinux
import Glibc

/// An epoll(7) instance, with one-shot registrations that carry a number of ours.
struct Epoll: ~Copyable, Sendable {
    /// What a registration reports: its number, and the conditions (`EPOLLIN` and so on).
    struct Report: Equatable {
        let number: UInt64
        let conditions: Conditions
    }

    /// The conditions that a wait may ask for, and those that are reported unasked.
    struct Conditions: OptionSet {
        let rawValue: UInt32

        static let input = Conditions(rawValue: EPOLLIN.rawValue)
        static let output = Conditions(rawValue: EPOLLOUT.rawValue)
        static let error = Conditions(rawValue: EPOLLERR.rawValue)
        static let hangUp = Conditions(rawValue: EPOLLHUP.rawValue)
    }

    /// How many reports a wait brings at most.
    private static let batch = 128

    private let descriptor: Descriptor

    init() throws(SystemError) {
        descriptor = try Descriptor(owning: epoll_create1(Int32(NHE_EPOLL_FLAGS)), from: "epoll_create1")
    }

    /// Reports `watched` whenever it can be read.
    func watchForever(_ watched: Int32, number: UInt64) throws(SystemError) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: number))
        guard epoll_ctl(descriptor.number, EPOLL_CTL_ADD, watched, &event) == 0 else {
            throw SystemError(call: "epoll_ctl", code: errno)
        }
    }

    /// Reports `watched` once, when one of `conditions`, an error or a hang-up holds; replaces an earlier order.
    ///
    /// - Returns: false for a descriptor that cannot be watched: a closed one, a plain file.
    func watchOnce(_ watched: Int32, for conditions: Conditions, number: UInt64) -> Bool {
        var event = epoll_event(events: conditions.rawValue | EPOLLONESHOT.rawValue, data: epoll_data_t(u64: number))
        if epoll_ctl(descriptor.number, EPOLL_CTL_ADD, watched, &event) == 0 { return true }
        return errno == EEXIST && epoll_ctl(descriptor.number, EPOLL_CTL_MOD, watched, &event) == 0
    }

    /// Forgets a descriptor; one that is closed is forgotten already.
    func forget(_ watched: Int32) {
        _ = epoll_ctl(descriptor.number, EPOLL_CTL_DEL, watched, nil)
    }

    /// All that is to be reported at this moment.
    func reportsOfNow() -> [Report] {
        var reports: [Report] = []
        while true {
            let next = wait(upTo: .zero)
            reports += next
            if next.count < Self.batch { return reports }
        }
    }

    /// Waits until something is to be reported or the time is over; nil waits for ever.
    func wait(upTo timeout: Duration?) -> [Report] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batch) { events in
            // glibc from 2.41 on takes no nil.
            guard let first = events.baseAddress else { return [] }
            let limit = timeout.map(\.wholeMilliseconds) ?? -1
            let count = epoll_wait(descriptor.number, first, Int32(events.count), limit)
            return events.prefix(Int(max(0, count))).map {
                Report(number: $0.data.u64, conditions: Conditions(rawValue: $0.events))
            }
        }
    }
}
