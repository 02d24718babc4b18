import Foundation
import Glibc
import Lab
import Testing

extension EndToEndTests {
    /// The page at `/` in a real browser.
    @Suite(.timeLimit(.minutes(2))) struct StatusPage {
        @Test func `it shows the state, fits a phone, prints a report and has no serious fault of accessibility`()
            async throws
        {
            try await withNetwork { host in
                try await withExporter(in: host) { exporter in
                    try await exporter.waitUntilReady()
                    let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "look", in: host)
                    for width in [360, 1280] {
                        let look = try await visit.next("look")
                        #expect(look.width == width, "no horizontal scrolling")
                        #expect(look.faults == [])
                        #expect(look.word == "Online" && look.stations == 4 && look.requirements == 7)
                        #expect(look.isPressed == true)
                        #expect(look.canTest == false && look.reason?.isEmpty == false)
                    }
                    let report = try await visit.next("report")
                    #expect(report.title == "Internet outages of the last 30 days" && report.isAlone == true)
                    let links = try #require(try await visit.next("plain").links)
                    #expect(links.contains("metrics") && links.contains("health") && links.contains("config"))
                    try await visit.end()
                }
            }
        }

        @Test func `in each state it fits a phone, nothing overlaps, and only what is good has the colour of good`()
            async throws
        {
            try await withExporter { exporter in
                try await exporter.waitUntilReady()
                let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "states")
                var seen: [String: PageVisit.Event] = [:]
                while let state = try await visit.next("state", or: "end") {
                    let name = try #require(state.title)
                    seen[name] = state
                    #expect(try #require(state.bottom) <= 2000, "\(name)")
                    #expect(state.width == 320 && state.faults == [], "\(name)")
                    #expect((state.texts == []) == (state.word != "Online"), "\(name): \(state.texts ?? [])")
                }
                #expect(seen.count >= 12)
                #expect(seen["starting"]?.links.map(Set.init) == ["unknown"])
                #expect(seen["fresh"]?.links?.contains("no") == false)
                #expect(seen["provider"]?.links.map(Set.init) == ["no"])
                // The stretch that a fault is on, and the nearest fault first.
                #expect(seen["provider"]?.marked == ["internet"] && seen["access"]?.marked == ["provider"])
                #expect(seen["cable"]?.marked == ["router"] && seen["congested"]?.marked == ["provider"])
                #expect(seen["unplaced"]?.marked == [] && seen["online"]?.marked == [])
                #expect(seen["access"]?.wrong?.first?.contains("Whom to call: check modem and cables, ") == true)
                #expect(seen["congested"]?.wrong?.count == 2 && seen["online"]?.wrong == [])
                #expect(seen["congested"]?.text?.hasPrefix("Packets are delayed on the line to your") == true)
                #expect(seen["congested"]?.wrong?.last?.hasPrefix("A name server does not work") == true)
                // "slow" only for slow.
                #expect(seen["losing"]?.via == "impaired" && seen["losing"]?.text == "Losing packets.")
                #expect(seen["certificate"]?.text == "The certificate of one host is not trusted.")
                #expect(seen["slow"]?.text?.contains("download 1.90, usually 47.8 Mbit/s") == true)
                #expect(seen["slow"]?.note?.hasPrefix("Download: 1.90 of 100 Mbit/s of your plan. ") == true)
                #expect(seen["slow"]?.reason?.contains("1.90 of 50 Mbit/s; usually 47.8") == true)
                #expect(seen["limited"]?.reason?.contains("not measured, download at least 48.2 of 50 Mbit/s") == true)
                #expect(seen["online"]?.text == "")
                #expect(seen["doubtful"]?.note?.contains("Not the speed of the line: the download") == true)
                #expect(seen["doubtful"]?.note?.contains("Unstable: upload.") == true)
            }
        }

        @Test func `it counts the wait, lists targets that are down first, says what is old, and says an advice once`()
            async throws
        {
            try await withExporter { exporter in
                try await exporter.waitUntilReady()
                let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "details")
                let counter = try await visit.next("counter")
                #expect(counter.text?.contains(/another can start in 2 min/) == true && counter.text != counter.reason)
                #expect(counter.note?.contains(#/The test at .* was skipped: the line was busy. Next at/#) == true)
                let targets = try await visit.next("targets")
                #expect(targets.texts?.count == 1 && targets.text == "3 up, 1 unknown")
                let row = try #require(targets.texts?.first)
                #expect(row.contains("connection refused") && row.contains("down since"))
                let folded = try await visit.next("folded")
                #expect(folded.texts?.count == 4 && folded.links == ["office-vpn"])
                #expect(try await visit.next("one uplink").isShown == false)
                let uplinks = try await visit.next("uplinks")
                #expect(uplinks.links == ["yes", "yes", "no", "unknown"] && uplinks.faults == [])
                let rows = try #require(uplinks.texts)
                #expect(rows.first?.contains("in use") == true && rows.first?.contains("works, 21 ms") == true)
                #expect(rows.dropFirst().first?.contains("would work, 48 ms, 2.00 % lost, costs money") == true)
                #expect(rows.dropFirst(2).first?.contains("would not work: no internet") == true)
                #expect(rows.last?.contains("not tested") == true && rows.last?.contains("rp_filter") == true)
                let why = try await visit.next("why")
                #expect(why.texts == ["192.168.178.1, your router, answers: network unreachable."] && why.links == [])
                #expect(try await visit.next("old").text?.contains("measured 1 min") == true)
                let opened = try await visit.next("opened")
                #expect(opened.texts?.count == 8 && opened.links?.count == 1, "one advice for all")
                let offer = try await visit.next("offer")
                #expect(offer.texts == ["Large download, large upload: not measured"], "in the rows that it concerns")
                #expect(offer.text?.contains("--speedtest.server is cloudflare, mlab") == true)
                for once in ["No speed-test server is configured", "cloudflare"] {
                    #expect(offer.note?.ranges(of: once).count == 1, "\(once)")
                }
                #expect(try await visit.next("short day").isShown == true, "an outage does not hide what was online")
                try await visit.end()
            }
        }

        @Test func `below a prefix, with TLS and a password, it is the same`() async throws {
            let folder = try TemporaryFolder()
            let authority = try TestAuthority()
            defer { withExtendedLifetime(authority) {} }
            let server = try authority.sign("server")
            let web = """
                tls_server_config: { cert_file: '\(server.certificate)', key_file: '\(server.key)' }
                basic_auth_users: { alice: '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW' }

                """
            let flags = [
                "--web.config.file=\(try folder.write("web.yml", web))", "--web.external-url=https://localhost/net/",
            ]
            try await withNetwork { host in
                try await withExporter(flags, in: host) { exporter in
                    let visit = try PageVisit(
                        "https://alice:secret@127.0.0.1:\(exporter.port)/net",
                        "glance",
                        in: host
                    )
                    let glance = try await visit.next("glance")
                    #expect(glance.word == "Online" && glance.live == "Live" && glance.address == "/net/")
                    try await visit.end()
                }
            }
        }

        @Test func `a phone shows everything of importance without scrolling, and the speeds that count`() async throws
        {
            try await withNetwork { host in
                try await withExporter(in: host) { exporter in
                    try await exporter.waitUntilReady()
                    let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "full", in: host)
                    let full = try await visit.next("full")
                    #expect(try #require(full.bottom) <= 740)
                    #expect(full.width == 360 && full.faults == [])
                    #expect(full.texts == ["48.2 Mbit/s", "≥ 19.3 Mbit/s", "222 ms"])
                    // The ongoing outage, which began before the status was read, in the band and in the list.
                    #expect(
                        try #require(full.via).contains(/\(1 min 3. s\)/) && full.text?.contains(/^1 min 3. s$/) == true
                    )
                    let note = try #require(full.note)
                    #expect(
                        note.contains(
                            "(download 2.88 Mbit/s) does not count: limited by the processor of this machine."
                        )
                    )
                    try await visit.end()
                }
            }
        }

        @Test func `behind nginx with its defaults, it follows the events`() async throws {
            try await withExporter { exporter in
                try await exporter.waitUntilReady()
                let port = try Loopback.closedPort()
                let proxy = try Nginx.proxy(on: port, to: "127.0.0.1:\(exporter.port)", accept: nil)
                let visit = try PageVisit("http://127.0.0.1:\(port)/", "glance")
                #expect(try await visit.next("glance").live == "Live")
                try await visit.end()
                #expect(proxy.stop() == 0)
            }
        }

        @Test func `its words are exact: unknown is not zero, and an outage is never rounded away`() async throws {
            let script = "\(Repository.tests)/Fixtures/clients/page_words.js"
            #expect(try await output(of: ["node", script, "\(Repository.root)/Sources/CAssets/page"]) == "passed\n")
        }

        @Test func `a speed test that is started there shows its progress and its result`() async throws {
            try await withSpeedLab(delay: .milliseconds(5), up: 20_000_000, down: 20_000_000) { lab in
                // A rate that swings, as on a busy machine, makes a load without a limit last for 25 s.
                let configuration = SpeedLab.configuration() + "  duration: { min: 5s, max: 5s }\n"
                let flags = ["--web.enable-admin-api"]
                try await withExporter(flags, configuration: configuration, in: lab.link.host) { exporter in
                    try await exporter.waitUntilReady()
                    let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "speedtest", in: lab.link.host)
                    let progress = try await visit.next("progress")
                    #expect(progress.text?.contains(" %") == true && progress.isEnabled == false)
                    let result = try await visit.next("result").text
                    let test = try #require(try await exporter.lastSpeedTest())
                    #expect(result?.hasPrefix("Result: download ") == true && test.error == nil, "\(result ?? "")")
                    #expect(try await visit.next("done").isShown == false)
                    try await visit.end()
                }
            }
        }

        @Test func `pending requests are listed, cancelled one by one and all at once`() async throws {
            let folder = try TemporaryFolder()
            let storage = ["--storage.path=\(folder.path)/network.db"]
            try await withCable { host, router in
                try await router.ip("link set eth0 down")
                try await withExporter(storage, configuration: Queue.configuration(), in: host) { exporter in
                    try await exporter.waitUntilReady()
                    for name in ["first", "second", "third"] {
                        let answer = try await Queue().post(exporter, #"{"url": "http://198.18.0.1:8080/\#(name)"}"#)
                        #expect(answer.status == 202)
                    }
                    let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "requests", in: host)
                    let names = ["first", "second", "third"].map { "POST http://198.18.0.1:8080/\($0)" }
                    #expect(try await visit.next("requests").texts == names)
                    #expect(try await visit.next("cancelled").texts == Array(names.dropFirst()))
                    #expect(try await visit.next("empty").isShown == false)
                    #expect(try await exporter.request("/api/v1/requests").body == "[]")
                    try await visit.end()
                }
            }
        }

        @Test func `an exporter that is gone is not shown as its last state, and one that is back is shown again`()
            async throws
        {
            try await withNetwork { host in
                let first = try await ExporterProcess(in: host)
                let visit = try PageVisit("http://127.0.0.1:\(first.port)/", "gone", in: host)
                // The check finds the colour of "good" while there is one.
                #expect(try await visit.next("ready").faults?.contains("band") == true)
                first.program.signal(SIGKILL)
                let gone = try await visit.next("gone")
                #expect(gone.word == "No answer from the exporter" && gone.via == "")
                #expect(gone.note?.hasPrefix("Not current: the last answer came at ") == true)
                #expect(gone.faults == [], "of the colour of good")
                let address = "--web.listen-address=127.0.0.1:\(first.port)"
                try await withExporter([address], in: host) { _ in
                    let back = try await visit.next("back")
                    #expect(back.word == "Online" && back.isStale == false)
                    try await visit.end()
                }
            }
        }
    }
}

extension EndToEndTimingTests {
    @Suite(.timeLimit(.minutes(2))) struct StatusPage {
        @Test func `a pulled cable shows the banner within 2 s, and its return hides it`() async throws {
            try await withCable { host, router in
                try await withExporter(in: host, environment: ["DEBUG_MODE": "1"]) { exporter in
                    let visit = try PageVisit("http://127.0.0.1:\(exporter.port)/", "cable", in: host)
                    #expect(try await visit.next("ready").isShown == false)
                    // The kernel has sent the event when the command ends.
                    try await router.ip("link set eth0 down")
                    let pulled = Date.now
                    let lost = try await visit.next("lost")
                    #expect(lost.at - pulled.timeIntervalSince1970 <= 2)
                    #expect(lost.text?.hasPrefix("Connectivity lost") == true)
                    let offline = try await visit.next("offline")
                    #expect(offline.word == "Offline" && offline.faults == [] && offline.links == [])
                    try await router.ip("link set eth0 up")
                    let plugged = Date.now
                    let restored = try await visit.next("restored")
                    #expect(restored.at - plugged.timeIntervalSince1970 <= 2)
                    #expect(restored.word == "Online")
                    #expect(restored.toasts?.last == "Connected via Ethernet (eth0)")
                    try await visit.end()
                }
            }
        }
    }
}
