/// One entry point for input from outside.
struct FuzzTarget: Sendable {
    /// The argument of `fuzz`, and the folder of its seeds that are files.
    let name: String
    /// How many inputs CI has it read: one or two seconds of them.
    let runs: Int
    /// Makes what it needs.
    let makeReader: @Sendable () throws -> FuzzReader

    init(_ name: String, runs: Int, _ makeReader: @escaping @Sendable () throws -> FuzzReader) {
        (self.name, self.runs, self.makeReader) = (name, runs, makeReader)
    }

    /// Every parser of outside input: those of bytes, those of text, and those behind a socket or a file.
    static let all: [FuzzTarget] = [
        FuzzTarget("netlink", runs: 40_000) { try .netlink() },
        FuzzTarget("icmp", runs: 40_000) { .icmp },
        FuzzTarget("dns", runs: 20_000) { .dns },
        FuzzTarget("stun", runs: 40_000) { .stun },
        FuzzTarget("websocket", runs: 20_000) { .webSocket },
        FuzzTarget("websocket-handshake", runs: 10_000) { .webSocketHandshake },
        FuzzTarget("certificate", runs: 10_000) { .certificate },

        FuzzTarget("request-target", runs: 40_000) { .requestTarget },
        FuzzTarget("headers", runs: 20_000) { .headers },
        FuzzTarget("query", runs: 20_000) { .query },
        FuzzTarget("multipart", runs: 20_000) { .multipart },
        FuzzTarget("handed-request", runs: 20_000) { .handedRequest },
        FuzzTarget("request-path", runs: 40_000) { .requestPath },
        FuzzTarget("url", runs: 40_000) { .url },
        FuzzTarget("cron", runs: 5_000) { .cron },
        FuzzTarget("numeric-date", runs: 40_000) { .numericDate },
        FuzzTarget("http-date", runs: 40_000) { .httpDate },
        FuzzTarget("captive-portal", runs: 20_000) { .captivePortal },
        FuzzTarget("portal-option", runs: 40_000) { .portalOption },
        FuzzTarget("nameservers", runs: 40_000) { .nameservers },
        FuzzTarget("graphql", runs: 20_000) { .graphQL },
        FuzzTarget("speedtest-json", runs: 10_000) { .speedTestJSON },
        FuzzTarget("host-exporter", runs: 10_000) { .hostExporter },
        FuzzTarget("pattern", runs: 20_000) { .bodyPattern },
        FuzzTarget("body", runs: 20_000) { .body },
        FuzzTarget("yaml", runs: 4_000) { .yaml },
        FuzzTarget("configuration", runs: 4_000) { .configuration },
        FuzzTarget("web-configuration", runs: 5_000) { .webConfiguration },

        FuzzTarget("dbus", runs: 5_000) { try .dbus() },
        FuzzTarget("http", runs: 2_000) { try .http() },
        FuzzTarget("database", runs: 300) { try .database() },
    ]
}

/// What a target reads, and what must hold for each input.
struct FuzzReader: Sendable {
    /// What was found, in words that need no debugger.
    struct Finding: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// Inputs to begin with, beside those in files.
    var seeds: [[UInt8]] = []
    /// Byte sequences that mean something to the reader.
    var words: [[UInt8]] = []
    /// Bytes of the longest input.
    var maximumLength = 4096
    /// Whether each seed is read cut at every byte, too.
    var isCut = true
    /// Reads an input; reports whether it was accepted, and throws where something is wrong.
    let read: @Sendable ([UInt8]) throws -> Bool

    static func texts(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
}
