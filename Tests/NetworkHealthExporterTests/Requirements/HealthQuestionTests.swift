import MicroHTTP
import NetworkHealth
import Testing

@testable import NetworkHealthExporter

struct HealthQuestionTests {
    private static func question(_ items: [(String, String)]) throws -> HealthQuestion {
        let known = RequirementsSection().byName
        let items = items.map { Request.QueryItem(name: $0.0, value: $0.1) }
        return try HealthQuestion(
            items,
            valid: "valid",
            uplinks: ["cable", "eth0 192.0.2.2"],
            requirement: { known[$0] }
        )
    }

    private static func refusal(_ items: [(String, String)]) -> String? {
        do {
            _ = try question(items)
            return nil
        } catch {
            return (error as? HealthQuestion.Refusal)?.message
        }
    }

    @Test func `without a parameter it is online, and a name is a requirement`() throws {
        #expect(try Self.question([]).subject == .named("online"))
        #expect(try Self.question([("requirement", "largeDownload")]).subject == .named("largeDownload"))
        #expect(try Self.question([("requirement", "online"), ("format", "json")]).wait == .zero)
    }

    @Test func `parameters make a requirement of their own`() throws {
        var custom = Requirement(name: "custom", quality: .good)
        #expect(try Self.question([("requirement", "custom"), ("quality", "good")]).subject == .made(custom))
        custom.allowsExpensive = false
        custom.maxAge = .seconds(1800)
        let all = [("requirement", "custom"), ("quality", "good"), ("allow_expensive", "false"), ("max_age", "30m")]
        #expect(try Self.question(all).subject == .made(custom))
        var online = Requirement.online
        online.allowsExpensive = false
        #expect(try Self.question([("allow_expensive", "false")]).subject == .made(online))
        #expect(try Self.question([("wait", "5m")]).wait == .seconds(300))
        online = .online
        online.uplink = "eth0 192.0.2.2"
        #expect(try Self.question([("uplink", "eth0 192.0.2.2")]).subject == .made(online))
    }

    @Test(arguments: [
        ([("requirement", "nope")], "unknown requirement \"nope\"; valid"),
        ([("requirement", "")], "empty requirement; valid"),
        ([("requirement", "online"), ("requirement", "online")], "requirement: given 2 times; valid"),
        ([("requirement", "Online")], "unknown requirement \"Online\"; valid"),
        ([("requirement", "a\u{0}b")], "unknown requirement \"a\\u0000b\"; valid"),
        ([("requirement", "custom")], "quality: requirement=custom needs one of excellent, good, moderate, poor"),
        ([("quality", "good")], "quality: only requirement=custom takes it"),
        (
            [("requirement", "custom"), ("quality", "offline")],
            "quality: expected one of excellent, good, moderate, poor, found \"offline\""
        ),
        ([("allow_expensive", "yes")], "allow_expensive: expected true or false, found \"yes\""),
        ([("wait", "1s"), ("wait", "2s")], "wait: given 2 times"),
        ([("uplink", "lte")], "unknown uplink \"lte\"; one of: cable, eth0 192.0.2.2"),
        ([("uplink", "")], "empty uplink; one of: cable, eth0 192.0.2.2"),
        ([("uplink", "cable"), ("uplink", "cable")], "uplink: given 2 times"),
    ])
    func `an invalid query is refused with a reason`(items: [(String, String)], message: String) {
        #expect(Self.refusal(items) == message)
    }

    @Test(arguments: ["-1s", "301s", "5", "", "99999999999999999999s", "1e400s"])
    func `a wait that cannot be is refused`(wait: String) {
        #expect(Self.refusal([("wait", wait)])?.hasPrefix("wait: expected a duration") == true)
    }

    @Test func `an over-long name is not repeated in whole`() throws {
        let message = try #require(Self.refusal([("requirement", String(repeating: "ä", count: 4000))]))
        #expect(message.utf8.count < 200)
    }
}
