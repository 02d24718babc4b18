// Hands numbered requests to a queue and delivers them, until it is killed; prints each number after its acceptance:
// queue-writer FILE URL FIRST COUNT
import Glibc
import OfflineQueue

let arguments = CommandLine.arguments
let first = Int(arguments[3]) ?? 0
let (online, network) = AsyncStream<Bool>.makeStream()
let queue = RequestQueue(path: arguments[1], online: online)

func report(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(1, line, line.count)
}

await withTaskGroup(of: Void.self) { group in
    group.addTask { await queue.run() }
    network.yield(true)
    for number in first..<first + (Int(arguments[4]) ?? 0) {
        do {
            // Two ordering keys, so that both orders can be checked.
            let request = RetryableRequest(
                endpoint: arguments[2],
                method: "POST",
                body: Data("\(number)".utf8),
                requestType: "number",
                orderingKey: "\(number % 2)"
            )
            try await queue.enqueue(request)
        } catch {
            report("failed: \(error)")
            return
        }
        report("\(number)")
    }
    // Waits for the file: before, nothing is known to be pending.
    _ = await queue.pendingRequests
    while queue.statistics.pending > 0 { try? await Task.sleep(for: .milliseconds(10)) }
    report("empty")
    group.cancelAll()
}
