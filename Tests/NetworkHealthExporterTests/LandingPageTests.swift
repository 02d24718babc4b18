import Foundation
import Testing

@testable import NetworkHealthExporter

struct LandingPageTests {
    private func links(_ settings: Settings) -> [String] {
        LandingPage.html(settings, hosts: []).components(separatedBy: "href=\"").dropFirst()
            .map { String($0.prefix { $0 != "\"" }) }
    }

    @Test func `links what there is`() {
        #expect(
            links(Settings()) == ["metrics", "health", "api/v1/snapshot", "config", "-/healthy", "-/ready"]
        )
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
