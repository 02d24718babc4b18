import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// Limits of threads and descriptors that are lower than the service needs, and calls that are denied.
    @Suite(.timeLimit(.minutes(2))) struct ResourceLimits {
        /// A user that runs nothing else: RLIMIT_NPROC counts the threads of a user, and does not hold for root.
        private static let user = ["setpriv", "--reuid", "45678", "--regid", "45678", "--clear-groups"]

        private let folder: TemporaryFolder
        private let executable: String

        init() throws {
            // In a folder that an unprivileged user can read, wherever it was built.
            folder = try TemporaryFolder()
            executable = "\(folder.path)/network-health-exporter"
            try FileManager.default.copyItem(atPath: Repository.executable, toPath: executable)
            try folder.write("config.yml", ExporterProcess.quiet)
        }

        /// Starts a command without a network, below a limit, as the user that runs nothing else.
        private func start(_ limit: String, _ arguments: [String]) throws -> Program {
            try Program(["unshare", "-n"] + Self.user + ["prlimit", limit, executable] + arguments)
        }

        /// Its status, which a start that fails has within 2 s.
        ///
        /// From the moment on at which it is the exporter: unshare(1) waits for namespaces that end at the time.
        private func earlyStatus(of program: Program) async throws -> Int32 {
            let own = URL(fileURLWithPath: executable).resolvingSymlinksInPath().path
            let link = "/proc/\(program.identifier)/exe"
            try await poll("the exporter") { () async throws -> Bool? in
                let isExporter = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == own
                return isExporter || !program.isRunning ? true : nil
            }
            return try await program.status(within: .seconds(2))
        }

        private var serve: [String] {
            ["--web.listen-address=127.0.0.1:0", "--config.file=\(folder.path)/config.yml"]
        }

        @Test(arguments: [1, 2, 3, 4, 6, 8, 12, 14, 16]) func `too few threads end the start with the limits' names`(
            threads: Int
        ) async throws {
            let program = try start("--nproc=\(threads)", serve)
            #expect(try await earlyStatus(of: program) == 1)
            for part in ["threads can be started", "errno 11", "RLIMIT_NPROC", "LimitNPROC=", "--pids-limit"] {
                #expect(program.errors.contains(part), "\(part): \(program.errors)")
            }
            #expect(!program.errors.contains("Listening on"), "\(program.errors)")
        }

        @Test(arguments: [["snapshot"], ["check", "online"], ["healthcheck"], ["--version"]])
        func `other commands end with the same error`(arguments: [String]) async throws {
            let program = try start("--nproc=2", arguments)
            #expect(try await earlyStatus(of: program) == 1)
            #expect(program.errors.contains("RLIMIT_NPROC"), "\(program.errors)")
        }

        @Test(arguments: [4, 8, 16, 64, 128]) func `too few descriptors end the start with the limit's name`(
            descriptors: Int
        ) async throws {
            let program = try start("--nofile=\(descriptors)", serve)
            #expect(try await earlyStatus(of: program) == 1)
            for part in ["RLIMIT_NOFILE) is \(descriptors)", "LimitNOFILE="] {
                #expect(program.errors.contains(part), "\(part): \(program.errors)")
            }
        }

        @Test func `a service is scraped and ended at the lowest limits that it accepts`() async throws {
            let threads = 20 + sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 4
            let limits = ["prlimit", "--nofile=256", "--nproc=\(threads)"]
            try await withNamespace { network in
                try await withExporter(in: network, wrapper: Self.user + limits, executable: executable) { exporter in
                    try await exporter.waitUntilReady()
                    for _ in 0..<20 { #expect(try await exporter.request("/metrics").status == 200) }
                }
            }
        }

        @Test func `a verdict without a thread for a lookup says so, and is no outage`() async throws {
            try await withInternet { internet in
                try await internet.host.ip("link set eth0 down")
                let configuration = FakeInternet.configuration("")
                try await withExporter(
                    configuration: configuration,
                    in: internet.host,
                    wrapper: Self.user,
                    executable: executable
                ) { exporter in
                    try await exporter.waitUntilReady()
                    let limit = Self.user + ["prlimit", "--pid=\(exporter.program.identifier)"]
                    try await output(of: limit + ["--nproc=1:"])
                    try await internet.host.ip("link set eth0 up")
                    try await internet.host.ip("route add default via 198.18.0.1")
                    try await poll("the state", within: .seconds(30)) {
                        let body = try await exporter.request("/api/v1/status").body
                        return body.contains("not verified yet: a limit of this machine prevents its checks")
                            ? true : nil
                    }
                    let health = try await exporter.request("/health?format=json")
                    #expect(health.status == 503)
                    #expect(health.body.contains("\"starting\"") && health.body.contains("limit of this machine"))
                    let samples = try await exporter.request("/metrics").samples
                    for cause in ["gateway", "dns_broken", "no_internet"] {
                        #expect(samples["network_health_outages_total{cause=\"\(cause)\"}"] == "0")
                    }
                    #expect(samples["network_health_online"] == nil)
                    // Checks are counted after the verdict that follows from them.
                    try await poll("the limit in the log; \(exporter.log)") {
                        exporter.log.contains("no thread for a lookup") ? true : nil
                    }

                    try await output(of: limit + ["--nproc=1000:"])
                    try await poll("the internet", within: .seconds(90)) {
                        try await exporter.sample("network_health_online") == "1" ? true : nil
                    }
                    let status = try await exporter.request("/api/v1/status").body
                    #expect(!status.contains("limit of this machine"))
                }
            }
        }

        /// libdispatch lets a thread end that was idle for 5 s, and the limit lets it start no other one.
        ///
        /// Some may have ended before the limit is set.
        @Test func `SIGTERM ends a service whose threads a limit has taken`() async throws {
            let program = try start("--nofile=1024", serve)
            try await poll("the listener") { program.errors.contains("Listening on") ? true : nil }
            try await output(of: Self.user + ["prlimit", "--pid=\(program.identifier)", "--nproc=1:"])
            let tasks = "/proc/\(program.identifier)/task"
            var threads: Set<String> = []
            var since = ContinuousClock.now
            try await poll("the same threads for 7 s", within: .seconds(60)) {
                let now = Set(try FileManager.default.contentsOfDirectory(atPath: tasks))
                if now != threads { (threads, since) = (now, .now) }
                return since.duration(to: .now) > .seconds(7) ? true : nil
            }
            program.signal(SIGTERM)
            #expect([0, 1].contains(try await program.status(within: .seconds(15))))
        }

        @Test func `a service that may not ask for its limits takes those of procfs`() async throws {
            #if arch(x86_64)
                let prlimit64 = 302
            #else
                let prlimit64 = 261
            #endif
            let deny = ["python3", "\(Repository.tests)/Fixtures/deny.py", "\(prlimit64)"]
            try await withNamespace { network in
                try await withExporter(in: network, wrapper: deny) { exporter in
                    try await exporter.waitUntilReady()
                    for _ in 0..<20 { #expect(try await exporter.request("/metrics").status == 200) }
                }
            }
        }
    }
}
