import Coordination
import Foundation
import Logging
import Testing

@testable import NetworkHealthExporter

struct LineLogHandlerTests {
    private func logged(_ settings: LogSettings, _ body: (inout Logger) -> Void) -> [String] {
        let lines = Locked<[String]>([])
        var logger = Logger(label: "test") { _ in
            LineLogHandler(settings) { line in lines.withLock { $0.append(line) } }
        }
        body(&logger)
        return lines.withLock { $0 }
    }

    @Test func `begins with time, level, source and message, then the metadata by name`() throws {
        let lines = logged(LogSettings()) { logger in
            logger.warning("two words", metadata: ["z": "1", "address": "[::1]:80"], source: "Test")
        }
        let line = try #require(lines.first)
        let rest = try #require(line.firstRange(of: " level=")).lowerBound
        #expect(line[rest...] == " level=warn source=Test msg=\"two words\" address=[::1]:80 z=1\n")
        let time = line[..<rest].dropFirst("time=".count)
        #expect(try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(String(time)) > .distantPast)
    }

    @Test func `writes JSON in the format json`() throws {
        var settings = LogSettings()
        settings.format = .json
        let lines = logged(settings) { $0.error("\"quoted\"", source: "Test") }
        let line = try #require(lines.first)
        let object = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(object["level"] == "error" && object["source"] == "Test" && object["msg"] == "\"quoted\"")
        #expect(Set(object.keys) == ["time", "level", "source", "msg"])
    }

    @Test func `leaves out what is below its level`() {
        var settings = LogSettings()
        settings.level = .warning
        let lines = logged(settings) { logger in
            logger.info("no")
            logger.warning("yes")
        }
        #expect(lines.count == 1)
    }

    @Test func `an event's metadata goes before the logger's`() throws {
        let lines = logged(LogSettings()) { logger in
            logger[metadataKey: "a"] = "logger"
            logger[metadataKey: "b"] = "logger"
            logger.info("m", metadata: ["a": "event"])
        }
        #expect(try #require(lines.first).hasSuffix(" msg=m a=event b=logger\n"))
    }
}
