import FoundationEssentials
import HTTPTransfer
import Posix

/// Reads what speed-test servers answer in JSON, for the fuzzer; a message that reads otherwise when written again traps.
///
/// - Returns: whether any protocol accepted it.
package func fuzzSpeedTestJSON(_ bytes: [UInt8]) -> Bool {
    let servers = NDT7Candidate.located(in: bytes)
    let urls = NetworkQualityDialect.URLs(json: bytes)
    if let urls {
        let hosts = [urls.small, urls.large, urls.upload].map { WebURL($0)?.hostPort.description.lowercased() }
        precondition(hosts[0] != nil && Set(hosts).count == 1)
    }
    let message = NDT7Message(json: String(decoding: bytes, as: UTF8.self))
    if let message { precondition(NDT7Message(json: message.json) == message) }
    // Several answers, one in each line.
    let answers = bytes.split(separator: UInt8(ascii: "\n")).prefix(8).enumerated().compactMap { index, line in
        let beyondHoles = LoadSample(time: .seconds(index), bytes: UInt64(index) * 1000)
        return ServerCount(Array(line), beyondHoles: beyondHoles, written: .max)
    }
    _ = ServerCount.between(answers, atLeast: .milliseconds(10))
    var response = SpeedTestResponse(status: 503)
    response.headers = ["content-type": "application/json"]
    response.body = bytes
    let sentence = response.sentence
    precondition(sentence.map { $0.count <= 200 && !$0.contains(where: \.isNewline) } ?? true)
    return servers != nil || urls != nil || message != nil || sentence != nil || !answers.isEmpty
}

/// Reads the head of a server's answer to a WebSocket's request, and its headers as a client's, for the fuzzer.
///
/// - Returns: whether it opens the WebSocket of the key in RFC 6455, section 1.3.
package func fuzzWebSocketHandshake(_ bytes: [UInt8]) -> Bool {
    guard let answer = try? WebSocketAnswer(parsing: String(decoding: bytes, as: UTF8.self)) else { return false }
    if let fields = try? WebSocketHandshake.answer(to: answer.headers, subprotocol: NDT7.subprotocol) {
        precondition(fields.contains { $0.name == "Sec-WebSocket-Accept" && $0.value.utf8.count == 28 })
    }
    return (try? answer.check(key: "dGhlIHNhbXBsZSBub25jZQ==", subprotocol: NDT7.subprotocol)) != nil
}

/// Reads a line as the content type of a form, and what follows as its body, for the fuzzer.
///
/// The result must not depend on the pieces in which the body arrives: a difference traps.
///
/// - Returns: whether its file has a name.
package func fuzzMultipart(_ bytes: [UInt8]) -> Bool {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let body = Array(lines.last ?? [])
    guard lines.count == 2, var whole = MultipartHead(contentType: String(decoding: lines[0], as: UTF8.self)) else {
        return false
    }
    var pieces = whole
    whole.take(body.span.bytes)
    for start in stride(from: 0, to: body.count, by: 3) {
        pieces.take(body.span.bytes.extracting(start..<min(start + 3, body.count)))
    }
    let total = UInt64(body.count)
    precondition(whole.filename == pieces.filename && whole.fileSize(ofBody: total) == pieces.fileSize(ofBody: total))
    precondition(whole.fileSize(ofBody: total) <= total)
    return whole.filename != nil
}
