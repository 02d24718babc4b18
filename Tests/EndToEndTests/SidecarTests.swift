import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// The image and an application in the network namespace of one pod.
    @Suite(.timeLimit(.minutes(2))) struct Sidecar {
        private static let configuration = """
            internet: { enabled: false }
            speedtest:
              servers:
                - { name: far, protocol: speedlab, url: "http://\(RelayedLink.far):10319/speedtest" }
              directions: [download]
              schedule: { interval: 1h }
              initial_delay: 1h
              min_gap: 0s
              duration: { min: 1s, max: 2s }
              on_expensive: run

            """

        /// The pod's slow link to a server, and a fast one that its routes do not use yet.
        private func withPod(_ body: (_ pod: Namespace) async throws -> Void) async throws {
            try await withSpeedLab(delay: .milliseconds(5), up: 5_000_000, down: 5_000_000) { lab in
                let (pod, server) = (lab.link.host, lab.link.peer)
                try await pod.ip("link add eth0 type veth peer name eth0 netns \(server.name)")
                try await pod.ip("address add 198.18.100.2/24 dev eth0")
                try await pod.ip("link set eth0 up")
                try await server.ip("address add 198.18.100.1/24 dev eth0")
                try await server.ip("link set eth0 up")
                try await body(pod)
            }
        }

        @Test func `an application starts when the exporter beside it has measured a link that allows it`() async throws
        {
            let root = try await ImageRoot()
            try root.write("/exporter.yml", Self.configuration)
            try await withPod { pod in
                let flags = ["--config.file=/exporter.yml", "--web.enable-admin-api"]
                try await withExporter(
                    flags,
                    in: pod,
                    wrapper: root.wrapper,
                    executable: ImageRoot.executable,
                    environment: ["NHE_STORAGE_PATH": "/data/network-health.db"]
                ) { exporter in
                    try await exporter.waitUntilReady()
                    let base = "http://127.0.0.1:\(exporter.port)"
                    // As an application with a shell asks, and as an init container of the image does.
                    let question = "\(base)/health?requirement=largeDownload&wait=60s"
                    let script = #"until curl -sSf --noproxy '*' "$0"; do sleep 1; done; echo started"#
                    let application = try Program(pod.prefix + ["sh", "-c", script, question])
                    let check = [ImageRoot.executable, "check", "largeDownload", "--wait", "24h", "--url", base]
                    let gate = try Program(root.command(check, in: pod))

                    let slow = try await exporter.makeSpeedTest()
                    #expect(try #require(slow.download, "\(slow)").speedMbps < 50)
                    #expect(try await exporter.request("/health?requirement=largeDownload").status == 503)
                    #expect(application.isRunning && gate.isRunning, "\(application.output)\(gate.output)")

                    try await pod.ip("route replace default via 198.18.100.1 dev eth0")
                    try await pod.ip("route replace \(RelayedLink.far) via 198.18.100.1 dev eth0")
                    try await poll("the other link") {
                        try await exporter.request("/api/v1/snapshot").body.contains(#""interfaceName":"eth0""#)
                            ? true : nil
                    }
                    #expect(application.isRunning && gate.isRunning)
                    let fast = try await exporter.makeSpeedTest()
                    #expect(try #require(fast.download, "\(fast)").speedMbps >= 50)
                    #expect(try await application.status() == 0)
                    #expect(application.output == "largeDownload\nstarted\n", "\(application.output)")
                    #expect(try await gate.status() == 0, "\(gate.errors)")
                    #expect(FileManager.default.fileExists(atPath: "\(root.path)/data/network-health.db"))
                }
            }
        }
    }
}
