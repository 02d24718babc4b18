import HTTPTransfer
import Testing

@testable import SpeedTestCore

struct NDT7URLTests {
    @Test(arguments: [
        ("ws://h:8080/speedtest", "http://h:8080/speedtest/ndt/v7/download", "h", UInt16(8080)),
        ("https://H.example/", "https://h.example/ndt/v7/download", "h.example", 443),
        ("http://[2001:db8::1]:81", "http://[2001:db8::1]:81/ndt/v7/download", "2001:db8::1", 81),
        ("wss://h?access_token=x#y", "https://h/ndt/v7/download?access_token=x", "h", 443),
    ])
    func `a base leads to its tests`(url: String, test: String, host: String, port: UInt16) throws {
        let base = try #require(WebURL(ndt7: url))
        #expect(base.test(.download).description == test)
        #expect(base.host == host)
        #expect(base.port == port)
    }

    @Test(arguments: ["", "h", "ftp://h/", "http://", "http:///x", "http://u:p@h/", "http://a b/", "wss://h/\u{e9}"])
    func `any other URL is refused`(url: String) {
        #expect(WebURL(ndt7: url) == nil)
    }

    @Test(arguments: [
        ("https://locate.measurementlab.net/v2/nearest/ndt/ndt7", false),
        ("wss://ndt-mlab1.mlab-oti.measurement-lab.org", false),
        ("http://127.0.0.1/v2/nearest/ndt/ndt7", false), ("https://measurementlab.net.example.com/", true),
        ("https://notmeasurementlab.net/", true), ("https://MEASUREMENTLAB.NET/", false),
    ])
    func `M-Lab and locate services require an agreement to their policy`(url: String, isFree: Bool) throws {
        if isFree {
            _ = try NDT7Measurement.make(url)
        } else {
            let failure = #expect(throws: SpeedTestFailure.self) { try NDT7Measurement.make(url) }
            #expect(failure?.reason == .auth)
            #expect(failure?.message.contains("accept_data_policy: true") == true)
        }
        _ = try NDT7Measurement.make(url, acceptsDataPolicy: true)
    }

    @Test func `a handshake without TLS goes to the port of TLS`() throws {
        #expect(try #require(WebURL(ndt7: "wss://h/x")).withoutTLS.description == "http://h:443/")
        #expect(try #require(WebURL(ndt7: "wss://h:444/x")).withoutTLS.description == "http://h:444/")
        #expect(try #require(WebURL(ndt7: "ws://[::1]/x")).withoutTLS.description == "http://[::1]/")
    }

    @Test func `the servers of a locate service keep their order, with TLS first`() throws {
        let json = """
            {"results":[
              {"machine":"a","urls":{"ws:///ndt/v7/download":"ws://a/ndt/v7/download?access_token=t",
                "ws:///ndt/v7/upload":"ws://a/ndt/v7/upload?access_token=t"}},
              {"machine":"broken","urls":{"wss:///ndt/v7/download":"ftp://x"}},
              {"machine":"b","urls":{"wss:///ndt/v7/download":"wss://b/ndt/v7/download","ws:///ndt/v7/download":"ws://c/",
                "wss:///ndt/v7/upload":"wss://b/ndt/v7/upload"}}],
             "next_request":{"nbf":"x"}}
            """
        let found = try #require(NDT7Candidate.located(in: Array(json.utf8)))
        #expect(
            found.map { $0.download.description } == [
                "http://a/ndt/v7/download?access_token=t", "https://b/ndt/v7/download",
            ]
        )
        #expect(found[0].upload.target == "/ndt/v7/upload?access_token=t")
        #expect(NDT7Candidate.located(in: Array(#"{"error":{"status":503}}"#.utf8)) == [])
        #expect(NDT7Candidate.located(in: Array("no JSON".utf8)) == nil)
    }

    @Test func `a client's name is safe in a query`() {
        let name = NDT7ClientName(userAgent: "na me&x=/1.0 (comment)")
        #expect(name.query.hasPrefix("client_name=na&client_version=0&"))
        let other = NDT7ClientName(userAgent: "a&b=c%/1.0?x (comment)")
        #expect(other.query.hasPrefix("client_name=abc&client_version=1.0x&client_library_name=SpeedTestCore&"))
    }
}
