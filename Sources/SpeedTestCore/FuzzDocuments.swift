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
        ServerCount(Array(line), beyondHoles: LoadSample(time: .seconds(index), bytes: UInt64(index) * 1000))
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
