import Glibc

/// The processor time that a test did not get, for the message of a failure that may be due to it.
///
/// ```swift
/// let stolen = StolenTime()
/// #expect(elapsed < .seconds(1), "\(stolen)")
/// ```
package struct StolenTime: Sendable, CustomStringConvertible {
    private let start = Reading()

    /// Counts from now on.
    package init() {}

    /// What was lost since the start, such as
    /// `in 4.00 s on 2 processors the hypervisor took 1.50 s and other processes 2.25 s; this one waited 0.75 s to run`.
    package var description: String {
        let now = Reading()
        func text(_ seconds: Double) -> String {
            let hundredths = Int((max(0, seconds) * 100).rounded())
            let digits = "\(hundredths % 100)"
            return "\(hundredths / 100).\(digits.count < 2 ? "0" : "")\(digits) s"
        }
        let busy = now.busy - start.busy
        return "in \(text(now.time - start.time)) on \(now.processors) processors the hypervisor took "
            + "\(text(now.stolen - start.stolen)) and other processes \(text(busy - (now.own - start.own))); "
            + "this one waited \(text(now.waited - start.waited)) to run"
    }

    /// In seconds.
    private struct Reading {
        var time = 0.0
        /// Of the whole machine: /proc/stat's `steal`, and all that was neither idle nor stolen.
        var stolen = 0.0
        var busy = 0.0
        var processors = 0
        /// This process' own processor time.
        var own = 0.0
        /// On a run queue, of the threads that live: the second number of their schedstat.
        var waited = 0.0

        init() {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            time = Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
            own = Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
            let lines = Self.content("/proc/stat").split(separator: "\n").filter { $0.hasPrefix("cpu") }
            processors = max(0, lines.count - 1)
            // user nice system idle iowait irq softirq steal
            let ticks = (lines.first ?? "").split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
            if ticks.count == 8 {
                let second = Double(sysconf(Int32(_SC_CLK_TCK)))
                stolen = ticks[7] / second
                busy = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) / second
            }
            for thread in Self.threads {
                let numbers = Self.content("/proc/self/task/\(thread)/schedstat").split(separator: " ")
                if numbers.count >= 2, let nanoseconds = Double(numbers[1]) { waited += nanoseconds * 1e-9 }
            }
        }

        private static var threads: [String] {
            guard let folder = opendir("/proc/self/task") else { return [] }
            defer { closedir(folder) }
            var names: [String] = []
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name.first?.isNumber == true { names.append(name) }
            }
            return names
        }

        private static func content(_ path: String) -> String {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return "" }
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(file, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }
}
