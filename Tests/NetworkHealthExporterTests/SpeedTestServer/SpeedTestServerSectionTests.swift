import SpeedTestCore
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct SpeedTestServerSectionTests {
    typealias Broken = ConfigurationErrorTests.Broken

    private func read(_ yaml: String) throws -> SpeedTestServerSection {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).speedTestServer
    }

    @Test(arguments: ["", "speedtest_server:\n", "speedtest_server: {}\n"])
    func `what is not written has its default, which is off`(yaml: String) throws {
        let section = try read(yaml)
        #expect(section == SpeedTestServerSection())
        #expect(!section.isEnabled && section.effectiveLimits == nil)
    }

    @Test func `reads every key`() throws {
        let section = try read(
            """
            speedtest_server:
              enabled: true
              allow: [public, 198.18.0.0/15]
              max_clients: 1
              max_duration: 1h
              max_bytes: 64MiB
              max_bytes_per_day: 1B
              congestion_control: bbr
              cors: ["https://a.example", "http://192.0.2.1:8080"]
            """
        )
        let limits = try #require(section.effectiveLimits)
        #expect(limits.allow.map(\.description) == ["public", "198.18.0.0/15"])
        #expect(limits.maxClients == 1 && limits.maxDuration == .seconds(3600))
        #expect(limits.maxBytes == 67_108_864 && limits.maxBytesPerDay == 1)
        #expect(limits.congestionControl == "bbr")
        #expect(limits.origins == ["https://a.example", "http://192.0.2.1:8080"])
        #expect(try read(section.yaml) == section, "what is printed reads the same")
    }

    @Test func `the default is the section of the manual`() throws {
        let yaml = SpeedTestServerSection().yaml
        #expect(
            yaml == """
                speedtest_server:
                  enabled: false
                  allow: ["loopback", "private", "link-local"]
                  max_clients: 8
                  max_duration: 1m
                  max_bytes: 1GB
                  max_bytes_per_day: 50GB
                  congestion_control: ""
                  cors: []

                """
        )
        #expect(try read(yaml) == SpeedTestServerSection())
    }

    static let size = "expected a size of at least 1B such as 64MB, 64MiB or 20GB"
    static let origin = "expected an origin such as https://example.com or http://example.com:8080, without a path"

    @Test(arguments: [
        Broken(
            "speedtest_server: { allow: [any] }",
            "1: speedtest_server.allow[0]: expected loopback, private, link-local, public or a range such as 198.18.0.0/15, found \"any\""
        ),
        Broken(
            "speedtest_server: { max_clients: 0 }",
            "1: speedtest_server.max_clients: expected a whole number from 1 to 1000, found \"0\""
        ),
        Broken(
            "speedtest_server:\n  max_duration: 2h\n",
            "2: speedtest_server.max_duration: \(ConfigurationErrorTests.duration) from 1s to 1h, found \"2h\""
        ),
        Broken("speedtest_server: { max_bytes: 0 }", "1: speedtest_server.max_bytes: \(size), found \"0\""),
        Broken(
            "speedtest_server: { congestion_control: \"a b\" }",
            "1: speedtest_server.congestion_control: expected the name of a congestion control such as cubic or bbr, or nothing, found \"a b\""
        ),
        Broken(
            "speedtest_server: { cors: [\"https://a.example/\"] }",
            "1: speedtest_server.cors[0]: \(origin), found \"https://a.example/\""
        ),
        Broken("speedtest_server: { cors: [\"*\"] }", "1: speedtest_server.cors[0]: \(origin), found \"*\""),
        Broken(
            "speedtest_server: { cors: [\"https://A.example\"] }",
            "1: speedtest_server.cors[0]: \(origin), found \"https://A.example\""
        ),
    ])
    func `an error has the file, the line, the key and what was expected`(broken: Broken) throws {
        let error = try #require(throws: YAMLErrors.self) { try read(broken.yaml) }
        #expect(error.description == "test.yml:\(broken.message)")
    }
}
