import Coordination
import FoundationEssentials
import HTTPTransfer
import Lab
import Posix
import Testing

@testable import SpeedTestCore

struct DialectTests {
    private func base(_ text: String) throws -> WebURL { try #require(WebURL(text)) }

    @Test func `each dialect has its requests`() throws {
        let speedlab = SpeedlabDialect(base: try base("http://h:10319/speedtest/"))
        #expect(speedlab.download(bytes: 123).url == "http://h:10319/speedtest/download?size=123")
        #expect(speedlab.upload(bytes: 123, id: "ab").headers["X-Test-Id"] == "ab")
        #expect(speedlab.counters(id: "ab")?.url == "http://h:10319/speedtest/counters/ab")
        let cloudflare = CloudflareDialect(base: try base("https://speed.cloudflare.com"))
        #expect(cloudflare.download(bytes: 5).url == "https://speed.cloudflare.com/__down?bytes=5")
        #expect(cloudflare.largest.download < 100_000_000)
        let librespeed = LibreSpeedDialect(base: try base("http://h"))
        let garbage = librespeed.download(bytes: 5 << 20).url
        #expect(garbage.hasPrefix("http://h/garbage.php?r=") && garbage.hasSuffix("&ckSize=5"))
        #expect(librespeed.download(bytes: 0).url.hasSuffix("&ckSize=1"))
        #expect(librespeed.ping().url != librespeed.ping().url, "no cache may answer")
    }

    @Test(arguments: [
        ("cfRequestDuration;dur=12.5", 0.0125), ("cfSpeedEdge;dur=3, cfSpeedWorker;dur=4.5, cfL4;desc=x", 0.0075),
        ("cfL4;dur=9", nil), ("cfSpeedEdge;dur=0.005", nil), ("cfSpeedEdge;dur=nan", nil), ("", nil),
        ("cfRequestDuration;dur=1e300", nil),
    ])
    func `cloudflare's own time is read from Server-Timing`(header: String, seconds: Double?) throws {
        let dialect = CloudflareDialect(base: try base("http://h"))
        let response = SpeedTestResponse(status: 200, headers: ["server-timing": header])
        #expect(dialect.serverTime(in: response) == seconds.map { .seconds($0) })
    }

    @Test func `a server time above the whole latency is ignored`() throws {
        let dialect = CloudflareDialect(base: try base("http://h"))
        var response = SpeedTestResponse(status: 200, headers: ["server-timing": "cfRequestDuration;dur=4"])
        response.latency = .milliseconds(10)
        #expect(dialect.latency(of: response) == .milliseconds(6))
        response.latency = .milliseconds(3)
        #expect(dialect.latency(of: response) == .milliseconds(3))
    }

    @Test func `networkQuality takes both sets of names, and one host only`() throws {
        func urls(_ text: String) -> NetworkQualityDialect.URLs? { .init(json: Array(text.utf8)) }
        let draft =
            #"{"version":1,"urls":{"small_download_url":"http://h/s","large_download_url":"http://h:80/l","upload_url":"http://h/u"}}"#
        let apple =
            #"{"version":1,"urls":{"small_https_download_url":"http://h/s","large_https_download_url":"http://h/l","https_upload_url":"http://h/u","more":"x"}}"#
        #expect(urls(draft)?.large == "http://h:80/l" && urls(apple)?.upload == "http://h/u")
        #expect(urls(draft.replacing("http://h/u", with: "http://other/u")) == nil)
        #expect(urls(draft.replacing("\"version\":1", with: "\"version\":2")) == nil)
        #expect(urls(draft.replacing("http://h/s", with: "/s")) == nil)
        #expect(urls("") == nil)
    }

    @Test(arguments: [
        ("http://h", "h:80"), ("https://h/x", "h:443"), ("http://[::1]:9/", "[::1]:9"), ("http://[::1]", "[::1]:80"),
        ("http://u:p@h:1/", "h:1"),
    ])
    func `the host of a URL has its port and no credentials`(url: String, host: String) throws {
        #expect(try base(url).hostPort.description == host)
    }

    @Test(arguments: ["", "h", "ftp://h", "http://", "http:///x", "http://h/a b", "://"])
    func `an invalid URL is refused`(url: String) { #expect(WebURL(url) == nil) }

    @Test func `the paths of librespeed are found below any of its folders`() async throws {
        let paths = Locked<[String]>([])
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                guard let path = head.split(separator: " ").dropFirst().first.map(String.init) else { return }
                paths.withLock { $0.append(path) }
                let isThere = path.hasPrefix("/lab/backend/empty?")
                connection.send("HTTP/1.1 \(isThere ? "200 OK" : "404 X")\r\nContent-Length: 0\r\n\r\n")
            }
        }
        defer { server.close() }
        let report = await runTest("\(server.url)lab/", .librespeed) { $0.directions = [] }
        #expect(report.failure == nil && report.ping != nil)
        #expect(
            paths.withLock { $0.prefix(3).map { $0.prefix { $0 != "?" } } } == [
                "/lab/empty.php", "/lab/backend/empty.php", "/lab/empty",
            ]
        )
    }
}
