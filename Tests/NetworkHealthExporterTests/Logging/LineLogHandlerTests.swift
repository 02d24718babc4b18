import Foundation
import Lab
import Logging
import Testing

@testable import NetworkHealthExporter

struct LineLogHandlerTests {
    private func logged(_ settings: LogSettings, _ body: (inout Logger) -> Void) throws -> [String] {
        let pipe = try TestPipe()
        var logger = Logger(label: "test") { _ in LineLogHandler(settings, output: LogOutput(pipe.writing)) }
        body(&logger)
        return pipe.lines()
    }

    @Test func `begins with time, level, source and message, then the metadata by name`() throws {
        let lines = try logged(LogSettings()) { logger in
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
        let lines = try logged(settings) { $0.error("\"quoted\"", source: "Test") }
        let line = try #require(lines.first)
        let object = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(object["level"] == "error" && object["source"] == "Test" && object["msg"] == "\"quoted\"")
        #expect(Set(object.keys) == ["time", "level", "source", "msg"])
    }

    @Test func `leaves out what is below its level`() throws {
        var settings = LogSettings()
        settings.level = .warning
        let lines = try logged(settings) { logger in
            logger.info("no")
            logger.warning("yes")
        }
        #expect(lines.count == 1)
    }

    @Test func `an event's metadata goes before the logger's`() throws {
        let lines = try logged(LogSettings()) { logger in
            logger[metadataKey: "a"] = "logger"
            logger[metadataKey: "b"] = "logger"
            logger.info("m", metadata: ["a": "event"])
        }
        #expect(try #require(lines.first).hasSuffix(" msg=m a=event b=logger\n"))
    }

    @Test func `what a full pipe does not take is left out and counted, and nothing waits`() throws {
        let pipe = try TestPipe()
        let logger = Logger(label: "test") { _ in LineLogHandler(LogSettings(), output: LogOutput(pipe.writing)) }
        try pipe.fill()
        for number in 1...3 { logger.info("lost\(number)") }
        _ = pipe.lines()
        for number in 4...5 { logger.info("kept\(number)", source: "Test") }
        let lines = pipe.lines()
        let first = try #require(lines.first)
        #expect(first.contains(" level=warn source=Test msg=\"Lines of the log were left out"))
        #expect(first.hasSuffix(" lines=3\n"))
        #expect(lines.dropFirst().map { $0.suffix(6) } == ["kept4\n", "kept5\n"])
    }

    @Test func `a line that is longer than what a pipe takes is cut, and nothing waits`() throws {
        let pipe = try TestPipe()
        let reopened = try #require(LogOutput.reopened(pipe.writing))
        defer { close(reopened) }
        let output = LogOutput(reopened)
        let logger = Logger(label: "test") { _ in LineLogHandler(LogSettings(), output: output) }
        logger.info("\(String(repeating: "x", count: 1_000_000))")
        let cut = pipe.lines()
        #expect(cut.count == 1 && cut.first?.hasSuffix("xxx\n") == true)
        logger.info("kept", source: "Test")
        let lines = pipe.lines()
        #expect(lines.count == 2 && lines.first?.hasSuffix(" lines=1\n") == true)
        #expect(lines.last?.hasSuffix(" source=Test msg=kept\n") == true)
        // The pipe's own description waits as before.
        #expect(fcntl(pipe.writing, F_GETFL) & O_NONBLOCK == 0)
    }
}
