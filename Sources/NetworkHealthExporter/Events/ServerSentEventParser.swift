/// Reads the events of an exporter as their bytes arrive (HTML standard, section 9.2); a pure value.
///
/// An event has one line of data, as `ServerSentEvent` writes it. Comments and unknown kinds are left out.
struct ServerSentEventParser {
    /// A longer line is none of an exporter: it is dropped, with its event.
    static let maxLine = 65_536

    private var line: [UInt8] = []
    private var fields: [String: [UInt8]] = [:]
    private var isTooLong = false

    /// The events that these bytes complete.
    mutating func take(_ bytes: [UInt8]) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            if byte != UInt8(ascii: "\n") {
                if line.count < Self.maxLine { line.append(byte) } else { isTooLong = true }
            } else if line.isEmpty {
                if let event { events.append(event) }
                (fields, isTooLong) = ([:], false)
            } else {
                takeLine()
            }
        }
        return events
    }

    private var event: ServerSentEvent? {
        func text(_ name: String) -> String? { fields[name].map { String(decoding: $0, as: UTF8.self) } }
        guard !isTooLong, let kind = text("event").flatMap(ServerSentEvent.Kind.init), let data = fields["data"] else {
            return nil
        }
        return ServerSentEvent(id: text("id") ?? "", kind: kind, data: data)
    }

    private mutating func takeLine() {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: parts[0], as: UTF8.self)
        if parts.count == 2, ["id", "event", "data"].contains(name) {
            fields[name] = Array(parts[1].first == UInt8(ascii: " ") ? parts[1].dropFirst() : parts[1])
        }
        line.removeAll(keepingCapacity: true)
    }
}
