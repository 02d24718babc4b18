import ArgumentParser
import Lab
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

struct SpeedTestSettingsTests {
    private func settings(_ arguments: [String], _ variables: [String: String] = [:]) throws -> SpeedTestSettings {
        try Settings(Options.parse(arguments), Environment(variables: variables)).speedTest
    }

    private static let override: @Sendable (inout Configuration) -> Void = { $0.speedTest.servers = [.home] }

    @Test(arguments: [
        ("speedlab+http://192.0.2.1:10319/speedtest", SpeedTestProtocol.speedlab, "192.0.2.1"),
        ("librespeed+https://speed.example.com/backend", .librespeed, "speed.example.com"),
        ("cloudflare+http://[2001:db8::1]:81", .cloudflare, "2001:db8::1"),
        ("networkquality+https://h/", .networkquality, "h"),
        ("ndt7+wss://ndt.example.com/a+b", .ndt7, "ndt.example.com"),
    ])
    func `a server has its protocol before its URL, and its host as name`(
        text: String,
        dialect: SpeedTestProtocol,
        name: String
    ) throws {
        let url = try #require(text.firstIndex(of: "+").map { String(text[text.index(after: $0)...]) })
        let expected = SpeedTestServer(name: name, dialect: dialect, url: url)
        #expect(try settings(["--speedtest.server=\(text)"]).server == expected)
    }

    @Test func `a preset is named by itself`() throws {
        let cloudflare = try #require(settings(["--speedtest.server=cloudflare"]).server)
        #expect(cloudflare.name == "cloudflare" && cloudflare.url == "https://speed.cloudflare.com")
        let mlab = try #require(settings(["--speedtest.server=mlab", "--speedtest.accept-data-policy"]).server)
        #expect(mlab.name == "mlab" && mlab.dialect == .ndt7 && mlab.acceptsDataPolicy)
        #expect(mlab.url == "https://locate.measurementlab.net/v2/nearest/ndt/ndt7")
    }

    @Test(arguments: [
        "mlab", "ndt7+https://locate.measurementlab.net/v2/nearest/ndt/ndt7",
        "ndt7+wss://ndt-mlab1.mlab-oti.measurement-lab.org",
    ])
    func `M-Lab requires consent, which the error names`(text: String) throws {
        let byFlag = try #require(throws: UsageError.self) { try settings(["--speedtest.server", text]) }
        #expect(byFlag.description.hasPrefix("--speedtest.server: "))
        let byVariable = try #require(throws: UsageError.self) { try settings([], ["NHE_SPEEDTEST_SERVER": text]) }
        #expect(byVariable.description.hasPrefix("NHE_SPEEDTEST_SERVER: "))
        for error in [byFlag, byVariable] {
            #expect(error.description.contains("expected --speedtest.accept-data-policy"))
            #expect(error.description.contains("NHE_SPEEDTEST_ACCEPT_DATA_POLICY=true"))
        }
        let variables = ["NHE_SPEEDTEST_SERVER": text, "NHE_SPEEDTEST_ACCEPT_DATA_POLICY": "1"]
        #expect(try settings([], variables).server?.lacksConsent == false)
    }

    @Test(arguments: [
        "Cloudflare", "fast+http://h/", "speedlab", "speedlab+", "speedlab+h:10319", "speedlab+ws://h/",
        "ndt7+ftp://h/", "speedlab+http://h/a b", "+http://h/",
    ])
    func `anything else is refused, with what was expected`(text: String) throws {
        let error = try #require(throws: UsageError.self) { try settings(["--speedtest.server=\(text)"]) }
        #expect(
            error.description == """
                --speedtest.server: expected speedlab+URL, librespeed+URL, cloudflare+URL, networkquality+URL, ndt7+URL \
                such as speedlab+http://192.0.2.1:10319/speedtest, or cloudflare or mlab, found "\(text)"
                """
        )
    }

    @Test func `an error repeats no password`() throws {
        for variables in [[:], ["NHE_SPEEDTEST_SERVER": "speedlab+http://me:geheim@h/"]] {
            let arguments = variables.isEmpty ? ["--speedtest.server=speedlab+http://me:geheim@h/"] : []
            let error = try #require(throws: UsageError.self) { try settings(arguments, variables) }
            #expect(!error.description.contains("geheim"))
        }
    }

    @Test func `the server by flag replaces those of the file, also after a reload`() throws {
        let folder = try TemporaryFolder()
        let other = "servers: [{ name: a, protocol: speedlab, url: \"http://198.18.0.1/\" }]"
        let file = try folder.write("exporter.yml", "speedtest: { \(other) }\n")
        let store = try ConfigurationStore(file: file, override: Self.override)
        #expect(store.current.speedTest.servers == [.home] && store.current.speedTest.isActive)
        try folder.write("exporter.yml", "speedtest: { min_gap: 1m, \(other) }\n")
        try store.reload()
        #expect(store.current.speedTest.schedule.minGap == .seconds(60))
        #expect(store.current.speedTest.servers == [.home] && store.current.speedTest.isActive)
    }

    @Test(arguments: [("{}", true), ("speedtest: { enabled: true }", true), ("speedtest: { enabled: false }", false)])
    func `the server by flag is tested unless the file disables tests`(yaml: String, isActive: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("exporter.yml", "\(yaml)\n")
        #expect(try ConfigurationStore(file: file, override: Self.override).current.speedTest.isActive == isActive)
        #expect(try ConfigurationStore(file: nil, override: Self.override).current.speedTest.isActive)
    }

    @Test(arguments: [
        (["--server", "cloudflare"], SpeedTestProtocol.cloudflare, "https://speed.cloudflare.com"),
        (["--server", "librespeed+https://h/backend"], .librespeed, "https://h/backend"),
        (["--server", "https://h/"], .speedlab, "https://h/"),
        (["--server", "wss://h/", "--protocol", "ndt7"], .ndt7, "wss://h/"),
    ])
    func `the command takes what the flag takes, and a URL beside its protocol`(
        arguments: [String],
        dialect: SpeedTestProtocol,
        url: String
    ) throws {
        let command = try SpeedTest.parse(arguments)
        let server = command.server.flatMap(command.named)
        #expect(server?.dialect == dialect && server?.url == url)
    }

    @Test(arguments: [
        ["--server", "fast"], ["--server", "ftp://h/"], ["--server", "cloudflare", "--protocol", "ndt7"],
        ["--server", "ndt7+wss://h/", "--protocol", "ndt7"],
    ])
    func `the command refuses anything else`(arguments: [String]) {
        #expect(throws: (any Error).self) { try SpeedTest.parse(arguments) }
    }

    @Test func `without a test the notice says which requirements need one`() {
        var section = SpeedTestSection()
        let offer = """
            Name a speed-test server: --speedtest.server is cloudflare, mlab (which publishes each result with this host's \
            address, and needs --speedtest.accept-data-policy) or a server of your own. It learns this host's address and \
            speeds. A test takes about 200 MB at 100 Mbit/s, at most 500 MB; all tests take at most 20 GB a month
            """
        let beginning = "Speed is not measured, and largeDownload and largeUpload are satisfied only after a test:"
        #expect(section.notice == "\(beginning) no speed-test server is configured. \(offer)")
        #expect(section.lack?.step == offer, "the advice of the rows that need a speed")
        section.servers = [.home]
        #expect(section.notice == "\(beginning) speed tests are disabled. Set speedtest.enabled")
        section.isEnabled = true
        #expect(section.notice == nil)
    }
}
