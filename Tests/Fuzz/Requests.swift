import MicroHTTP
import NetworkHealthExporter
import SpeedTestCore

/// What HTTP clients and speed-test servers send, as far as it is text.
extension FuzzReader {
    static var requestTarget: FuzzReader {
        FuzzReader(
            seeds: texts(
                "/metrics?name[]=a&name%5B%5D=b+c",
                "http://host:1/health?wait=10s&requirement=video",
                "*",
                "/%c3%a9//./..",
                "HTTPS://[::1]?x"
            ),
            words: texts("%", "%00", "%2f", "%c3%a9", "+", "?", "&", "=", "//", "http://", "https://", "*", "\u{e9}"),
            read: fuzzRequestTarget
        )
    }

    static var headers: FuzzReader {
        FuzzReader(
            seeds: texts(
                "Host: a\nContent-Length: 5",
                "Host:a\nTransfer-Encoding:chunked\nAccept-Encoding:gzip;q=0.5, *;q=0",
                "Accept-Encoding:x-gzip\nCookie: a=b; c"
            ),
            words: texts(
                "Host:",
                "Content-Length:",
                "Transfer-Encoding:",
                "chunked",
                "Accept-Encoding:",
                "gzip",
                "*",
                ";q=0.",
                ", ",
                "\r",
                "99999999999999999999",
                "\u{0}"
            ),
            read: fuzzHeaders
        )
    }

    /// Decoded parameters, a line each.
    static var query: FuzzReader {
        FuzzReader(
            seeds: texts(
                "kind=outages\nsince=2026-11-21T08:00:00.123+01:00\nformat=csv",
                "month=2026-10\nformat=json",
                "kind=latency\nsince=1h30m",
                "requirement=custom\nquality=good\nallow_expensive=true\nmax_age=12h\nwait=30s\nformat=json"
            ),
            words: texts(
                "kind=",
                "since=",
                "format=",
                "requirement=",
                "online",
                "custom",
                "quality=",
                "max_age=",
                "wait=",
                "\n",
                "Z",
                "-23:59",
                "9999-12-31T23:59:60Z",
                "1583-01-01T00:00:00Z",
                ".999999999",
                "2027-02-29",
                "99999999999w"
            ),
            read: fuzzQuery
        )
    }

    /// A content type, a line end and a body.
    static var multipart: FuzzReader {
        FuzzReader(
            seeds: texts(
                "multipart/form-data; boundary=b\n--b\r\nContent-Disposition: form-data; filename=\"a\\\"b\"\r\n\r\nxyz\r\n--b--\r\n"
            ),
            words: texts(
                "multipart/form-data",
                "boundary=",
                ";",
                "\r\n\r\n",
                "filename=\"",
                "\"",
                "\\",
                "\n",
                "\u{301}"
            ),
            read: fuzzMultipart
        )
    }

    static var handedRequest: FuzzReader {
        FuzzReader(
            seeds: texts(
                """
                {"url":"https://api.test/x","method":"PUT","headers":{"A":"b"},"body":"c","requestType":"t","idempotencyKey":"i",
                "orderingKey":"o","requirement":"online","expiresAt":"2026-11-22T08:00:00Z"}
                """,
                #"{"url":"","bodyBase64":"AAE="}"#
            ),
            words: json + texts("\"url\":", "\"body\":", "\"bodyBase64\":", "\"expiresAt\":", "\"headers\":{", "=="),
            read: fuzzHandedRequest
        )
    }

    static var requestPath: FuzzReader {
        FuzzReader(
            seeds: texts("/v1/", "/v1/a.b/c%C3%A9;d=1", "/v1/..", "/v1/%252e%2e/"),
            words: texts(
                "/v1/",
                "/",
                ".",
                "..",
                ";",
                "\\",
                "%",
                "%2e",
                "%2f",
                "%5c",
                "%25",
                "%3b",
                "%00",
                "%c0%ae",
                "%20"
            ),
            read: fuzzRequestPath
        )
    }

    static var cron: FuzzReader {
        FuzzReader(
            seeds: texts(
                "17 */6 * * *",
                "0,30 8-18/2 1-15,31 jan-jun,12 mon-fri",
                "30 2 29 2 *",
                "@weekly",
                "59 23 * * 7"
            ),
            words: texts(
                "*",
                "*/",
                "-",
                ",",
                " ",
                "@daily",
                "@yearly",
                "mon",
                "sun",
                "feb",
                "dec",
                "59",
                "23",
                "31",
                "0",
                "2",
                "60"
            ),
            maximumLength: 128,
            read: fuzzCron
        )
    }

    static var speedTestJSON: FuzzReader {
        FuzzReader(
            seeds: texts(
                """
                {"version":1,"urls":{"small_download_url":"https://a.test/s","large_https_download_url":"https://a.test/l",
                "upload_url":"https://A.test/u"},"test_endpoint":"a"}
                """,
                """
                {"results":[{"machine":"m","urls":{"wss:///ndt/v7/download":"wss://m.test/ndt/v7/download?t=1",
                "ws:///ndt/v7/upload":"ws://m.test:80/ndt/v7/upload"}}]}
                """,
                """
                {"AppInfo":{"ElapsedTime":1414134,"NumBytes":16777216},"ConnectionInfo":{"Client":"[::1]:1","Server":"b:2",
                "UUID":"u"},"Origin":"server","Test":"upload","TCPInfo":{"RTT":596,"MinRTT":-1,"BytesAcked":9223372036854775807}}
                """,
                """
                {"bytes":1000,"firstByteAt":1.5,"lastByteAt":2.25}
                {"bytes":250000,"firstByteAt":1.5,"lastByteAt":3.5e0}
                {"bytes":18446744073709551615,"lastByteAt":4}
                """,
                #"{"error":"busy \u001b[31m until\n later"}"#,
                #"{"pong":true}"#
            ),
            words: json
                + texts("https://", "\"urls\":", "\"results\":", "\"lastByteAt\":", "\"bytes\":", "-0", "1e-9", "\n"),
            read: fuzzSpeedTestJSON
        )
    }

    static var hostExporter: FuzzReader {
        FuzzReader(
            seeds: texts(
                """
                id: 1-1
                event: snapshot
                data: {"connectionType":"wifi","constrainedSource":"assumed","downloadSpeedMbps":93,"expensiveSource":"rule",\
                "isExpensive":true,"internetState":"online","jitterSeconds":0.001,"latency":0.02,"lossRatio":0,\
                "measurementAgeSeconds":60,"online":true,"qualitySource":"measured","status":"connected",\
                "timestamp":"2023-11-14T22:13:25Z","viewpoint":"host"}


                """,
                """
                {"connectionType":"cellular","constrainedSource":"assumed","expensiveSource":"cellular","latency":1.5,\
                "online":false,"outage":{"cause":"link","endedAt":null,"location":"link","startedAt":"2023-11-14T22:13:20.5Z"},\
                "status":"connected","timestamp":"2023-11-14T22:13:25Z","viewpoint":"host"}
                """,
                """
                {"connectionType":"wifi","constrainedSource":"assumed","expensiveSource":"assumed","online":true,"status":"connected",\
                "timestamp":"2023-11-14T22:13:25Z","viewpoint":"host","uplinks":[{"active":false,"answeredAt":null,\
                "cause":"no_internet","device":"wwan0","expensive":true,"latencySeconds":0.02,"lossRatio":0,"name":"lte","online":false,\
                "provider":"p","reason":"tunnel","routers":["192.0.2.1"],"since":"2023-11-14T22:13:20Z","testable":false,\
                "record":{"activeSeconds":5,"alone":false,"offlineSeconds":1,"outages":2,"primary":true,\
                "switches":{"address":0,"hop":1,"route":2}}}]}
                """,
                """
                {"download":null,"durationSeconds":5,"error":"no answer","host":"a:1","ping":null,"protocol":"ndt7","server":"s",\
                "startedAt":"2023-11-14T22:13:20Z","upload":null,"uplink":"eth0","results":[{"download":{"bytesTransferred":5,\
                "durationSeconds":4,"limitedBy":["cpu"],"speedMbps":100,"stable":true},"durationSeconds":5,"error":null,\
                "host":"a:1","ping":{"jitterSeconds":0.001,"latencySeconds":0.02},"protocol":"ndt7","server":"s",\
                "startedAt":"2023-11-14T22:13:20Z","upload":null,"uplink":"eth0","lastSuccessAt":"2023-11-14T22:13:32.500Z",\
                "measuredAt":{"ping":"2023-11-14T22:13:32.500Z","download":"2023-11-14T22:13:32.500Z","upload":null}}]}
                """
            ),
            words: json
                + texts(
                    "\n\n",
                    "data: ",
                    "event: snapshot",
                    "\"uplink\":",
                    "\"results\":[",
                    "\"latency\":",
                    "1e-400",
                    "1e308",
                    "\"2023-11-14T22:13:20Z\""
                ),
            read: fuzzHostExporter
        )
    }

    static var webSocketHandshake: FuzzReader {
        FuzzReader(
            seeds: texts(
                """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: keep-alive, Upgrade\r
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                Sec-WebSocket-Protocol: net.measurementlab.ndt.v7
                """,
                """
                HTTP/1.1 200\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                Sec-WebSocket-Protocol: a, net.measurementlab.ndt.v7
                """
            ),
            words: texts("\r\n", "\n", ":", " ", ",", "\t", "HTTP/1.1 ", "101", "websocket", "Upgrade", "=", "\u{301}"),
            read: fuzzWebSocketHandshake
        )
    }
}
