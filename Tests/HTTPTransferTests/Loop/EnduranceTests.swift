import Foundation
import HTTPTransfer
import Lab
import Testing

/// Many transfers, one after the other and at once; alone, since it counts the process's descriptors.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct EnduranceTests {
    private let server: WebServer

    init() throws { server = try WebServer.shared.get() }

    @Test func `a hundred at once all end`() async throws {
        try await withLoop { loop async throws in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await loop.perform(TransferRequest(url: "\(server.url)/hello")).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 100))
        }
    }

    @Test func `a thousand transfers leave nothing behind`() async throws {
        let url = "\(server.url)/hello"
        // In a process of its own, where nobody else opens files.
        await #expect(processExitsWith: .success) { [url = url as String] in
            func descriptors() -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
            }
            func resident() -> Int {
                let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
                return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
            }
            let loop = try TransferLoop(name: "test", userAgent: "tests")
            func perform(_ count: Int) async throws {
                for index in 0..<count {
                    var request = TransferRequest(url: url)
                    request.usesFreshConnection = true
                    request.sink = index % 3 == 0 ? .discard : index % 3 == 1 ? .collect(limit: 3) : .stream { _ in }
                    _ = try await loop.perform(request)
                }
            }
            try await perform(200)
            let before = (descriptors(), resident())
            try await perform(1_000)
            let after = resident()
            // The runtime has a file open for a moment now and then. No task sleeps here: its timer would keep some.
            try block(until: "no more than \(before.0) descriptors") { descriptors() <= before.0 }
            // The sanitizer has memory of its own for each address that was used.
            #if !TSAN
                precondition(after - before.1 < 1_500_000, "bytes: \(before.1), then \(after)")
            #endif
            loop.stop()
        }
    }
}
