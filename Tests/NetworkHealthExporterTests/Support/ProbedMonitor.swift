import Lab
import MicroHTTP
import Posix
import Probing

/// A monitor of targets, each of which has been probed once with a prepared result.
enum ProbedMonitor {
    /// - Parameters:
    ///   - targets: in the order of the configuration.
    ///   - results: by the target's name; a target without one has no result yet.
    /// - Returns: the monitor, which has stopped.
    static func of(_ targets: [Target], _ results: [String: ProbeResult] = [:]) async -> TargetMonitor {
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let monitor = TargetMonitor(
            // The first probes are spread over the interval.
            targets: targets.map { target in
                var target = target
                target.interval = .milliseconds(100)
                return target
            },
            onExpensive: .skip,
            probe: { target, _ in
                if let result = results[target.name] { return result }
                await endOfTask()
                return .cancelled
            },
            onChange: { _, _, _ in continuation.yield() }
        )
        guard !results.isEmpty else { return monitor }
        monitor.contextChanged(ProbeContext(), isNewUplink: false)
        await withTaskGroup { group in
            group.addTask { await monitor.run() }
            var count = 0
            for await _ in changes {
                count += 1
                if count == results.count { break }
            }
            group.cancelAll()
        }
        return monitor
    }
}

extension Request {
    /// One with these parameters.
    static func query(_ items: (String, String)...) -> Request {
        Request(query: items.map { QueryItem(name: $0.0, value: $0.1) })
    }
}

extension Response {
    /// The body as text; empty without one in memory.
    var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names of the families in a body of metrics.
    var families: [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }.compactMap {
            $0.split(separator: " ").dropFirst(2).first.map(String.init)
        }
    }
}
