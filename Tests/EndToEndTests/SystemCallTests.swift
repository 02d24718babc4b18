import Foundation
import Testing

extension EndToEndTests {
    /// What the kernel gets, as a seccomp filter sees it.
    @Suite(.timeLimit(.minutes(2))) struct SystemCalls {
        @Test func `the arguments of socket(2) are clean registers, which seccomp filters compare`() async throws {
            let folder = try TemporaryFolder()
            let trace = "\(folder.path)/trace"
            // The traced program keeps the process that was started (-D), and its arguments are printed as they are (raw).
            let strace = ["strace", "-D", "-f", "-e", "trace=socket", "-e", "raw=socket", "-o", trace]
            let configuration =
                ExporterProcess.quiet + """
                    targets:
                      - { name: web, module: http, address: "http://127.0.0.1:9/", interval: 100ms }
                      - { name: port, module: tcp, address: "127.0.0.1:9", interval: 100ms }
                      - { name: names, module: dns, address: "127.0.0.1:9", query: example.com, interval: 100ms }

                    """
            try await withExporter(configuration: configuration, wrapper: strace) { exporter in
                for target in ["web", "port", "names"] {
                    try await poll("a probe of \(target)") {
                        let name = #"network_health_target_probes_total{target="\#(target)"}"#
                        return try await exporter.sample(name).flatMap { Int($0) }.flatMap { $0 > 0 ? true : nil }
                    }
                }
            }
            let calls = try String(contentsOfFile: trace, encoding: .utf8).matches(of: /socket\(([0-9a-fx, ]+)/)
            #expect(calls.count > 5)
            for call in calls {
                let arguments = call.1.split { $0 == "," || $0 == " " }.map { $0.trimmingPrefix("0x") }
                #expect(arguments.count == 3 && arguments.allSatisfy { UInt32($0, radix: 16) != nil }, "\(call.0)")
            }
        }
    }
}
