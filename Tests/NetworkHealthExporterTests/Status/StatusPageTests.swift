import Foundation
import Testing

@testable import NetworkHealthExporter

struct StatusPageTests {
    private func links(_ settings: Settings, servesSpeedTests: Bool = false) -> [String] {
        PageLinks.items(settings, servesSpeedTests: servesSpeedTests).components(separatedBy: "href=\"").dropFirst()
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
        #expect(StatusPage.html(Settings(), hosts: [], watchesGateway: true).contains(text))
        #expect(!StatusPage.html(Settings(), hosts: []).contains(text))
    }

    @Test func `names the hosts that are contacted, escaped`() {
        #expect(
            StatusPage.html(Settings(), hosts: ["a&b", "<i>"]).contains(
                "<code>a&amp;b</code>, <code>&lt;i></code>"
            )
        )
        #expect(StatusPage.html(Settings(), hosts: []).contains("Contacts only the configured targets."))
    }

    @Test func `links the speed-test server while it is on`() {
        #expect(links(Settings(), servesSpeedTests: true).contains("speedtest/"))
        #expect(!links(Settings()).contains("speedtest/"))
    }

    @Test func `links are relative, right below any prefix, and escaped`() {
        var settings = Settings()
        settings.routePrefix = "/net"
        settings.telemetryPath = "/a&<b>\"c"
        let links = links(settings)
        #expect(links.first == "a&amp;&lt;b>&quot;c")
        #expect(!links.contains { $0.hasPrefix("/") })
    }

    @Test(arguments: [("/a:b", "./a:b"), ("/a/b:c", "a/b:c"), ("/:", "./:")])
    func `a colon in the first segment is not the end of a scheme`(path: String, link: String) {
        var settings = Settings()
        settings.telemetryPath = path
        #expect(links(settings).first == link)
    }

    @Test func `names itself and its version`() {
        let page = StatusPage.html(Settings(), hosts: [])
        #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        #expect(page.contains("<title>Network Health Exporter</title>"))
        #expect(page.contains("<h1>Network Health Exporter</h1>"))
        #expect(page.contains("<p>Network Health Exporter \(Version.number), revision "))
        #expect(page.hasSuffix("</html>\n"))
    }

    @Test func `style and script are whole in the page, which has no others and no place left to fill`() throws {
        let page = StatusPage.html(Settings(), hosts: [])
        #expect(page.components(separatedBy: "<style>\(PageContent.style)</style>").count == 2)
        #expect(page.components(separatedBy: "<script type=\"module\">\(PageContent.script)</script>").count == 2)
        let markup = page.replacing(PageContent.style, with: "").replacing(PageContent.script, with: "")
        #expect(!markup.contains("${"))
        #expect(markup.components(separatedBy: "<script").count == 2)
        #expect(markup.components(separatedBy: "<style").count == 2)
        // An end tag within would end them there.
        #expect(!PageContent.script.contains("</") && !PageContent.style.contains("</"))
    }

    @Test func `the policy leaves nothing to inline attributes, and the page has none`() throws {
        let page = StatusPage.html(Settings(), hosts: [])
        #expect(page.matches(of: try Regex("\\s(style|on[a-z]+)=\"")).isEmpty)
        let policy = PageContent.policy
        for rule in [
            "default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
            "frame-ancestors 'none'",
        ] { #expect(policy.contains(rule)) }
        #expect(!policy.contains("unsafe"))
        #expect(policy.matches(of: try Regex("'sha256-[A-Za-z0-9+/]{43}='")).count == 2)
    }

    @Test func `the page names no other host, and text never becomes markup`() {
        let page = StatusPage.html(Settings(), hosts: [])
        let namespace = "http://www.w3.org/2000/svg"
        #expect(!page.replacing(namespace, with: "").contains("://"))
        for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc"] {
            #expect(!page.contains(sink), "\(sink)")
        }
    }
}
