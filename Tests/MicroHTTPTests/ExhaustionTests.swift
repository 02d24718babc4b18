import Coordination
import Foundation
import Glibc
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct ExhaustionTests {
    @Test func `reports one pause a minute, and its end`() {
        var reports = AcceptLoop.PauseReports()
        let start = ContinuousClock.now
        let first = [reports.resume(), reports.pause(at: start), reports.pause(at: start + .seconds(70))]
        #expect(first == [false, true, false])
        let end = [reports.resume(), reports.resume()]
        #expect(end == [true, false])
        // Descriptors that come and go.
        let said = (71...131).filter { second in
            let isSaid = reports.pause(at: start + .seconds(second))
            return reports.resume() == isSaid && isSaid
        }
        #expect(said == [71, 131])
    }

    @Test func `gives memory back each time that three quarters of many connections have ended, down to the last`() {
        var memory = AcceptLoop.MemoryTrim()
        let due = [63, 0, 64, 100, 26, 25, 24, 0, 64, 16].map { memory.isDue(connections: $0) }
        #expect(due == [false, false, false, false, false, true, false, true, false, true])
    }

    /// Descriptors are the whole process's, so this runs in one of its own.
    @Test func `pauses without spinning when descriptors run out, and resumes by itself`() async throws {
        await #expect(processExitsWith: .success) {
            let events = Locked<[Server.Event]>([])
            let configure: (inout Server.Configuration) -> Void = {
                $0.onEvent = { event in
                    if case .diagnostic = event { return }
                    events.withLock { $0.append(event) }
                }
            }
            try await serving([echo(.get, "/a")], configure: configure) { port in
                try await blocking {
                    #expect(try Client(port).ask("GET", "/a").status == 200)
                    // The client's own socket is made first; then nothing is left for the server's side.
                    let client = try Client(port)
                    #expect(try client.ask("GET", "/a").status == 200)
                    var hogs: [Int32] = []
                    // More than one: a descriptor that another thread frees meanwhile serves one of them, and nothing pauses for it.
                    let waiting = (0..<8).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
                    let number = rlim_t(try #require(waiting.max()))
                    var limit = rlimit(rlim_cur: number + 20, rlim_max: number + 20)
                    setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
                    while true {
                        let hog = dup(0)
                        if hog < 0 { break }
                        hogs.append(hog)
                    }
                    var address = sockaddr_in()
                    address.sin_family = sa_family_t(AF_INET)
                    address.sin_port = port.bigEndian
                    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
                    for client in waiting {
                        let isConnected = withUnsafePointer(to: address) {
                            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                            }
                        }
                        #expect(isConnected)
                    }
                    try block(until: "the pause") { events.withLock { !$0.isEmpty } }
                    let before = processorTime()
                    // The measured time itself, not a wait for something.
                    usleep(1_000_000)
                    let used = processorTime() - before
                    #expect(used < 0.2)
                    // Who is connected already is served meanwhile.
                    #expect(try client.ask("GET", "/a").status == 200)
                    #expect(events.withLock { $0 } == [.acceptPaused(errorNumber: EMFILE)])
                    for hog in hogs { close(hog) }
                    #expect(try Client(port).ask("GET", "/a").status == 200)
                    // Said by another thread than the one that answered.
                    try block(until: "the resumption") { events.withLock { $0.count } >= 2 }
                    #expect(events.withLock { $0 } == [.acceptPaused(errorNumber: EMFILE), .acceptResumed])
                    for client in waiting { close(client) }
                }
            }
        }
    }

    /// A deadlock would hold up the stop, too: the alarm ends it, and thereby the test.
    @Test func `40 concurrent connections at a limit of 8 delay no other`() async throws {
        await #expect(processExitsWith: .success) {
            alarm(20)
            var configuration = Server.Configuration(addresses: [try ListenAddress("127.0.0.1:0")])
            configuration.connectionLimit = 8
            let server = try Server(configuration: configuration, routes: [echo(.get, "/a")])
            let port = try server.bind()[0].port
            let clients = try (0..<40).map { _ in SendableClient(try Client(port)) }
            // All of them are there when the first is accepted.
            let running = Task { try await server.run() }
            let statuses = try await blocking {
                defer { for client in clients { client.value.disconnect() } }
                return clients.map { (try? $0.value.ask("GET", "/a").status) ?? 503 }
            }
            // One that was served may have given way to another, which was served too.
            #expect(statuses.count { $0 == 200 } >= 8)
            try await blocking { while (try? Client(port).ask("GET", "/a").status) != 200 {} }
            server.stop()
            try await running.value
        }
    }

    @Test func `refuses what is in the reserve of descriptors, and pauses`() async throws {
        await #expect(processExitsWith: .success) {
            alarm(20)
            let probe = dup(0)
            close(probe)
            let soft = rlim_t(probe) + 64 + 30
            var limit = rlimit(rlim_cur: soft, rlim_max: soft)
            setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
            let events = Locked<[Server.ConnectionEvent]>([])
            let log = Locked<[Server.Event]>([])
            let configure: (inout Server.Configuration) -> Void = {
                $0.onConnection = { event in events.withLock { $0.append(event) } }
                $0.onEvent = { event in
                    if case .diagnostic = event { return }
                    log.withLock { $0.append(event) }
                }
            }
            try await serving([echo(.get, "/a")], configure: configure) { port in
                try await blocking {
                    var clients: [Client] = []
                    // Each takes two: its own, and the server's.
                    while !events.withLock({ $0.contains(.refused(.descriptors)) }) {
                        clients.append(try Client(port))
                        _ = try? clients[clients.count - 1].ask("GET", "/a")
                    }
                    // Said after the refusal, by the same thread.
                    try block(until: "the pause") { log.withLock { !$0.isEmpty } }
                    // What is kept can be had; a part of it may be what the process inherited and the runtime opened.
                    let kept = (0..<8).map { _ in dup(0) }
                    #expect(kept.allSatisfy { $0 >= 0 })
                    for number in kept { close(number) }
                    #expect(try clients[0].ask("GET", "/a").status == 200)
                    clients.removeAll()
                    while (try? Client(port).ask("GET", "/a").status) != 200 {}
                    try block(until: "the resumption") { log.withLock { $0.count } >= 2 }
                    #expect(log.withLock { $0 } == [.acceptPaused(errorNumber: EMFILE), .acceptResumed])
                }
            }
        }
    }

    @Test func `Leaves no open descriptor when it ends`() async throws {
        await #expect(processExitsWith: .success) {
            func run() async throws {
                try await serving([echo(.get, "/a")]) { port in
                    try await blocking {
                        for _ in 0..<20 { _ = try Client(port).ask("GET", "/a") }
                    }
                }
            }
            try await run()
            let before = openDescriptors()
            for _ in 0..<5 { try await run() }
            // libdispatch opens some of its own, now and then; a leak would be one a run.
            #expect(openDescriptors() < before + 5)
        }
    }

    @Test func `Leaves no open descriptor after 10,000 requests`() async throws {
        await #expect(processExitsWith: .success) {
            try await serving([echo(.get, "/a")]) { port in
                try await blocking {
                    #expect(try Client(port).ask("GET", "/a", headers: "Connection: close\r\n").status == 200)
                    let before = openDescriptors()
                    for _ in 0..<1000 {
                        let client = try Client(port)
                        for _ in 0..<9 { _ = try client.ask("GET", "/a") }
                        _ = try client.ask("GET", "/a", headers: "Connection: close\r\n")
                        #expect(client.isClosed())
                    }
                    // The server's side of the last connection may still be closing.
                    while openDescriptors() > before {}
                }
            }
        }
    }
}

private func openDescriptors() -> Int {
    (0..<1024).count { fcntl($0, F_GETFD) >= 0 }
}

private func processorTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}
