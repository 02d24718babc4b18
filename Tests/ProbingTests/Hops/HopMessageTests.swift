import Posix
import Testing

@testable import Probing

struct HopMessageTests {
    @Test func `A probe is readable, and what is quoted of it reads as itself`() {
        let message = HopMessage(number: 0x1a2f)
        #expect(message.bytes == Array("nhe-hop 1a2f".utf8))
        #expect(message.bytes.count == HopMessage.byteCount)
        for number: UInt16 in [0, 1, 0x1a2f, .max] {
            let bytes = HopMessage(number: number).bytes
            #expect(HopMessage(quoted: bytes.span.bytes)?.number == number)
            #expect(HopMessage(quoted: (bytes + [0, 0, 7]).span.bytes)?.number == number, "padded by the router")
        }
    }

    @Test(arguments: ["", "nhe-hop 1a2", "nhe-hop 1A2F", "nhe-hop 1a2g", "nhe-hap 1a2f", "GET / HTTP/1.1"])
    func `Anything else is no probe`(text: String) {
        #expect(HopMessage(quoted: Array(text.utf8).span.bytes) == nil)
    }

    @Test func `The port says how far a probe was to come`() {
        for distance in HopConfiguration.distances {
            #expect(HopMessage.distance(of: HopMessage.port(of: distance)) == distance)
        }
        for port: UInt16 in [0, 53, 33434, 33451, .max] { #expect(HopMessage.distance(of: port) == nil) }
    }

    @Test func `Bytes are those of IP packets`() {
        #expect(HopBytes.sent(.ipv4) == 20 + 8 + 12 && HopBytes.sent(.ipv6) == 40 + 8 + 12)
        #expect(HopBytes.received(.ipv4, quoted: 12) == 20 + 8 + 20 + 8 + 12)
        #expect(HopBytes.received(.ipv6, quoted: 0) == 40 + 8 + 40 + 8)
    }
}
