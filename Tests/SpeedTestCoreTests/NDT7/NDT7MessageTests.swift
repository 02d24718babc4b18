import Foundation
import SpeedTestCore
import Testing

struct NDT7MessageTests {
    @Test func `a connection has the key UUID, as the specification spells it`() throws {
        let json = #"{"ConnectionInfo":{"Client":"c","Server":"s","UUID":"host_1_2"}}"#
        let object = try JSONSerialization.jsonObject(with: Data(try #require(NDT7Message(json: json)).json.utf8))
        let connection = (object as? [String: [String: String]])?["ConnectionInfo"]
        #expect(connection == ["Client": "c", "Server": "s", "UUID": "host_1_2"])
    }

    @Test func `the reference server's measurement is read`() throws {
        let json = """
            {"AppInfo":{"NumBytes":10485760,"ElapsedTime":1003312},"BBRInfo":{"BW":1,"MinRTT":2},
             "ConnectionInfo":{"Client":"192.0.2.1:1","Server":"[2001:db8::1]:443","UUID":"ndt-1","StartTime":"2026-01-01T00:00:00Z"},
             "Origin":"server","Test":"upload",
             "TCPInfo":{"State":1,"CAState":0,"ElapsedTime":1003312,"BytesReceived":12345678,"RTT":20500,"MinRTT":20000}}
            """
        let message = try #require(NDT7Message(json: json))
        #expect(message.tcp?.bytesReceived == 12_345_678)
        #expect(message.tcp?.rtt == 20_500)
        #expect(message.application?.byteCount == 10_485_760)
        #expect(message.connection?.client == "192.0.2.1:1")
    }

    @Test func `a written message is read back`() throws {
        var message = NDT7Message()
        message.origin = "server"
        var tcp = NDT7Message.TCP()
        tcp.bytesAcked = 3
        message.tcp = tcp
        #expect(NDT7Message(json: message.json) == message)
    }

    @Test(arguments: ["", "[]", "{", #"{"TCPInfo":3}"#, #"{"AppInfo":{"NumBytes":1e400}}"#, "null"])
    func `any other text is not a measurement`(json: String) {
        #expect(NDT7Message(json: json) == nil)
    }

    @Test func `an upgrade requires its subprotocol and a valid query`() {
        let headers: [(name: String, value: String)] = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Protocol", NDT7.subprotocol),
        ]
        func status(_ headers: [(name: String, value: String)], _ query: [(name: String, value: String)]) -> Int {
            switch NDT7Server.upgrade(headers: headers, query: query) {
            case .success: 101
            case .failure(let refusal): refusal.status
            }
        }
        #expect(status(headers, [("client_name", "x")]) == 101)
        #expect(status(headers, [("a", "1"), ("a", "2")]) == 400)
        #expect(status(headers, [("a", String(repeating: "x", count: 4096))]) == 400)
        #expect(status(headers, [("early_exit", "250")]) == 101)
        #expect(status(headers, [("early_exit", "100")]) == 400)
        #expect(status(headers.dropLast(), []) == 400)
        #expect(status([], []) == 426)
        let limits = NDT7Limits()
        #expect(limits.applying(query: [("early_exit", "250")], direction: .download).bytes == 250_000_000)
        #expect(limits.applying(query: [("early_exit", "250")], direction: .upload).bytes == nil)
    }
}
