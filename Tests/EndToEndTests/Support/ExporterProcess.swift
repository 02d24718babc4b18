import Glibc
import Testing

/// The running executable.
final class ExporterProcess {
    /// Contacts no host nor router, and takes the lab's virtual cables for those of a host.
    static let quiet = "path: { viewpoint: host }\ninternet: { enabled: false }\ngateway: { enabled: false }\n"

    let program: Program
    let port: Int
    /// What enters the network that it listens in.
    private let prefix: [String]
    private let folder: TemporaryFolder

    /// Starts it on a loopback port that the system chooses, and waits until it listens.
    ///
    /// By default it asks nobody, since only a namespace may fake the internet. A wrapper is what starts it, such as a
    /// change of user; the environment's variables come beside this process's own.
    init(
        _ arguments: [String] = [],
        configuration: String = ExporterProcess.quiet,
        in namespace: Namespace? = nil,
        wrapper: [String] = [],
        executable: String = Repository.executable,
        environment: [String: String] = [:]
    ) async throws {
        prefix = namespace?.prefix ?? []
        folder = try TemporaryFolder()
        var command = prefix + wrapper + [executable, "--web.listen-address=127.0.0.1:0"] + arguments
        if !arguments.contains(where: { $0.hasPrefix("--config.file") }) {
            command.append("--config.file=\(try folder.write("config.yml", configuration))")
        }
        program = try Program(command, environment: environment)
        port = try await Self.port(of: program)
    }

    /// Everything it logged so far.
    var log: String { program.errors }

    /// One request by curl.
    func request(
        _ path: String,
        method: String = "GET",
        headers: [String] = [],
        body: String? = nil,
        within seconds: Int = 10
    ) async throws -> HTTPResponse {
        let url = "http://127.0.0.1:\(port)\(path)"
        return try await HTTPResponse.of(
            url,
            method: method,
            headers: headers,
            body: body,
            prefix: prefix,
            within: seconds
        )
    }

    /// Waits until it has told the first state of the network.
    func waitUntilReady() async throws {
        try await poll("the first evaluation") { try await request("/-/ready").status == 200 ? true : nil }
    }

    /// The value of a sample, as `/metrics` prints it; nil where there is none.
    func sample(_ name: String) async throws -> String? {
        try await request("/metrics").samples[name]
    }

    /// Ends it as an init system does.
    func stop() async throws -> Int32 {
        program.signal(SIGTERM)
        return try await program.status()
    }

    private static func port(of program: Program) async throws -> Int {
        try await poll("the port in the log of \(program.command.joined(separator: " "))") {
            for line in program.errors.wholeLines where line.contains("msg=\"Listening on\"") {
                if let port = line.split(separator: ":").last.flatMap({ Int($0) }) { return port }
            }
            guard program.isRunning else { throw Failure(description: "the exporter has ended: \(program.errors)") }
            return nil
        }
    }
}

/// Runs `body` beside an exporter, which then must end with status 0 at SIGTERM.
func withExporter<Result>(
    _ arguments: [String] = [],
    configuration: String = ExporterProcess.quiet,
    in namespace: Namespace? = nil,
    wrapper: [String] = [],
    executable: String = Repository.executable,
    environment: [String: String] = [:],
    _ body: (ExporterProcess) async throws -> Result
) async throws -> Result {
    let exporter = try await ExporterProcess(
        arguments,
        configuration: configuration,
        in: namespace,
        wrapper: wrapper,
        executable: executable,
        environment: environment
    )
    do {
        let result = try await body(exporter)
        #expect(try await exporter.stop() == 0, "\(exporter.log)")
        return result
    } catch {
        let status = try? await exporter.stop()
        Issue.record("the exporter's status: \(status.map(String.init) ?? "none"), its log: \(exporter.log)")
        throw error
    }
}
