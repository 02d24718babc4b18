import Foundation
import Testing

@testable import NetworkHealthExporter

struct LandingPageTests {
    private func links(_ settings: Settings) -> [String] {
        LandingPage.html(settings, hosts: []).components(separatedBy: "href=\"").dropFirst()
            .map { String($0.prefix { $0 != "\"" }) }
    }

    @Test func `links every path that OpenAPI describes a GET of`() throws {
        let text = OpenAPIDocument.text(Settings())
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        // A path with a variable has no link.
        let readable = Set(paths.filter { $0.value["get"] != nil && !$0.key.contains("{") }.keys).subtracting(["/"])
        #expect(readable.count > 10)
        #expect(Set(links(Settings()).map { "/\($0.prefix { $0 != "?" })" }) == readable)
    }

    @Test func `says that the router is pinged while it is watched`() {
        let text = "pings the router of the path"
        #expect(LandingPage.html(Settings(), hosts: [], watchesGateway: true).contains(text))
        #expect(!LandingPage.html(Settings(), hosts: []).contains(text))
    }

    @Test func `links the speed-test server while it is on`() {
        #expect(LandingPage.html(Settings(), hosts: [], servesSpeedTests: true).contains("href=\"speedtest/\""))
        #expect(!LandingPage.html(Settings(), hosts: []).contains("href=\"speedtest/\""))
    }

    @Test func `links are relative, right below any prefix, and escaped`() {
        var settings = Settings()
        settings.routePrefix = "/net"
        settings.telemetryPath = "/a&<b>\"c"
        let links = links(settings)
        #expect(links.first == "a&amp;&lt;b>&quot;c")
        #expect(!links.contains { $0.hasPrefix("/") })
    }

    @Test func `names itself, its version and the ecosystem's colour`() {
        let page = LandingPage.html(Settings(), hosts: [])
        #expect(page.contains("<title>Network Health Exporter</title>"))
        #expect(page.contains("<h1>Network Health Exporter</h1>"))
        #expect(page.contains("Version: \(Version.number)"))
        #expect(page.contains("#e6522c"))
    }
}
