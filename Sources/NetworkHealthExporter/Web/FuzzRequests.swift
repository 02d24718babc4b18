import MicroHTTP
import NetworkHealth

/// Reads lines as the parameters of a query, for the fuzzer; a time that is written and read otherwise traps.
///
/// - Returns: whether `/health`, `/api/v1/history` or `/api/v1/report` accepted it.
package func fuzzQuery(_ bytes: [UInt8]) -> Bool {
    let items = bytes.split(separator: UInt8(ascii: "\n")).map { line in
        let equals = line.firstIndex(of: UInt8(ascii: "=")) ?? line.endIndex
        return Request.QueryItem(
            name: String(decoding: line[..<equals], as: UTF8.self),
            value: String(decoding: line[equals...].dropFirst(), as: UTF8.self)
        )
    }
    let question = try? HealthQuestion(items, valid: "", uplinks: ["eth0"]) {
        $0 == Requirement.online.name ? .online : nil
    }
    if let question { precondition((.zero...HealthQuestion.maxWait).contains(question.wait)) }
    let history = try? HistoryQuery(items, now: 1_800_000_000)
    if let history { precondition(history.since.isFinite) }
    let report = try? ReportQuery(items, now: 1_800_000_000)
    if let report { precondition(report.period.seconds > 0 && report.period.until <= 1_800_000_000) }
    for item in items {
        guard let time = RFC3339.parse(item.value) else { continue }
        // Years that are out of range are written as the nearest.
        let text = RFC3339.text(time, milliseconds: true)
        precondition(RFC3339.parse(text).map { RFC3339.text($0, milliseconds: true) } == text)
    }
    return question != nil || history != nil || report != nil
}

/// Reads the JSON with which an application hands a request over, for the fuzzer.
///
/// - Returns: whether it is one that may be stored.
package func fuzzHandedRequest(_ bytes: [UInt8]) -> Bool {
    guard let handed = try? HandedRequest(bytes) else { return false }
    return (try? handed.request(OfflineQueueSection()) { $0 == Requirement.online.name }) != nil
}

/// Reads the path of a request that is limited to `/v1/`, for the fuzzer; one that a lenient server takes for another one traps.
///
/// - Returns: whether it was accepted.
package func fuzzRequestPath(_ bytes: [UInt8]) -> Bool {
    let path = String(decoding: bytes, as: UTF8.self)
    guard RequestPath.isPlain(path), RequestPath.isBelow(path, "/v1/") else { return false }
    func unescaped(_ bytes: [UInt8]) -> [UInt8] {
        var (read, rest) = ([UInt8](), bytes[...])
        while let byte = rest.popFirst() {
            let escaped =
                byte == UInt8(ascii: "%") ? UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) : nil
            if escaped != nil { rest = rest.dropFirst(2) }
            read.append(escaped ?? byte)
        }
        return read
    }
    // Unescaped twice, without parameters, with backslashes as slashes.
    var segments: [[UInt8]] = []
    for segment in unescaped(unescaped(Array(path.utf8))).split(whereSeparator: { "/\\".utf8.contains($0) }) {
        switch Array(segment.prefix { $0 != UInt8(ascii: ";") }) {
        case Array(".".utf8): break
        case Array("..".utf8): _ = segments.popLast()
        case let name: segments.append(name)
        }
        precondition(segments.first == Array("v1".utf8))
    }
    return true
}
