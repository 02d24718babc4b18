// Hands numbered requests to a queue and delivers them, until it is killed; prints each number after its acceptance:
// queue-writer FILE URL FIRST COUNT
//
// With a number of writers it only stores them, so many at a time, and prints how fast that was, how long the opening took, and
// the memory of the process: queue-writer FILE URL FIRST COUNT WRITERS
import Glibc
import OfflineQueue

let arguments = CommandLine.arguments
let first = Int(arguments[3]) ?? 0
let count = Int(arguments[4]) ?? 0
let url = arguments[2]
let began = ContinuousClock.now
let (online, network) = AsyncStream<Bool>.makeStream()
let queue = RequestQueue(path: arguments[1], online: online)

@Sendable func report(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(1, line, line.count)
}

/// Ends the program where it is not accepted.
@Sendable func accept(_ number: Int) async {
    do {
        // Two ordering keys, so that both orders can be checked.
        let request = RetryableRequest(
            endpoint: url,
            method: "POST",
            body: Data("\(number)".utf8),
            requestType: "number",
            orderingKey: "\(number % 2)"
        )
        try await queue.enqueue(request)
    } catch {
        report("failed: \(error)")
        exit(1)
    }
    report("\(number)")
}

func seconds(since start: ContinuousClock.Instant) -> Double { (ContinuousClock.now - start) / .seconds(1) }

/// In kB (proc(5)).
func residentMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return line.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0
}

if arguments.count > 5, let writers = Int(arguments[5]) {
    // Waits for the file, and reads nothing of it.
    await queue.retryRequest(id: UUID())
    let opening = seconds(since: began) * 1000
    report("opened \(queue.statistics.pending) requests in \(Int(opening)) ms, with \(residentMemory()) kB of memory")
    let start = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
        for writer in 0..<writers {
            group.addTask {
                for number in stride(from: first + writer, to: first + count, by: writers) { await accept(number) }
            }
        }
    }
    report("stored \(Int(Double(count) / seconds(since: start))) requests a second")
    await queue.close()
    exit(0)
}

await withTaskGroup(of: Void.self) { group in
    group.addTask { await queue.run() }
    network.yield(true)
    for number in first..<first + count { await accept(number) }
    // Waits for the file: before, nothing is known to be pending.
    _ = await queue.pendingRequests
    // The program that reads its output has a limit of time.
    while queue.statistics.pending > 0 { try? await Task.sleep(for: .milliseconds(10)) }
    report("empty")
    group.cancelAll()
}
