import Lab
import Netlink
import Posix
import Probing
import SpeedTestCore

/// What kernels, name servers, STUN servers and WebSocket peers send.
extension FuzzReader {
    static func netlink() throws -> FuzzReader {
        let recorded = try RecordedNetlink.allCases.flatMap { try $0.datagrams() }.flatMap(messages)
        return FuzzReader(
            seeds: recorded + [
                // A bond, and a refusal with its message, which the recording kernel did not send.
                bytes(
                    hexadecimal:
                        """
                        48000000 1000 0000 00000000 00000000 00000100 07000000 43100100 00000000
                        0a000300 626f6e6430000000 18001200 09000100 626f6e6400000000 0c000200 08000200 03000000
                        """
                )
            ],
            read: { bytes in
                // With the right length, too, so that a wrong one hides nothing.
                var whole = bytes
                if whole.count >= 4 {
                    withUnsafeBytes(of: UInt32(whole.count)) { whole.replaceSubrange(0..<4, with: $0) }
                }
                let isAccepted = fuzzNetlink(bytes.span.bytes)
                return fuzzNetlink(whole.span.bytes) || isAccepted
            }
        )
    }

    /// Replies of both families, one behind an IPv4 header.
    static var icmp: FuzzReader {
        let reply = bytes(hexadecimal: "00000000 1234 0001 0102030405060708")
        // Control messages with a stamp and an error, which the same entry reads.
        let control = bytes(hexadecimal: "4000000000000000 01000000 25000000") + [UInt8](repeating: 1, count: 48)
        // What a router says about a hop probe: who it is, how far away, and what it quotes.
        let refusal = bytes(
            hexadecimal:
                """
                1400000000000000 00000000 02000000 40000000 00000000
                1c00000000000000 00000000 08000000 01000000 c6120002 c6120002 00000000
                3000000000000000 00000000 0b000000 71000000 02030100 00000000 00000000 02000000 c0a80701 0000000000000000
                """
        )
        return FuzzReader(
            seeds: [reply, [129] + reply.dropFirst(), [128] + reply.dropFirst()]
                + [[0x46] + [UInt8](repeating: 0, count: 23) + reply, reply + control, refusal]
                + [Array("nhe-hop 1a2f".utf8)],
            words: [
                control, bytes(hexadecimal: "2000000000000000 00000000 0b000000 2a000000 04000000 00000000 07000000"),
            ],
            read: { fuzzICMP($0.span.bytes) }
        )
    }

    static var dns: FuzzReader {
        // A name at the start, then records whose names are chains of pointers as long as is allowed: no work for seconds.
        var chain = bytes(hexadecimal: "1a2b 8180 0001 ffff ffff ffff 0161 00 0001 0001")
        while chain.count < 400 {
            let target = chain.count > 19 ? chain.count - 2 : 12
            chain += [0xc0 | UInt8(target >> 8), UInt8(target & 0xff)]
        }
        return FuzzReader(
            seeds: RecordedDNS.all,
            words: [[0xc0, 0x0c], [0xc0, 0x10], [0xff, 0xff], [0x3f], [0xc0, 0xff], chain],
            read: { fuzzDNS($0.span.bytes) }
        )
    }

    /// Answers of both families, behind other attributes, and an error.
    static var stun: FuzzReader {
        let transaction = "2112a442 0102030405060708090a0b0c"
        let ipv4 = "0020 0008 0001 1234 e7000edb"
        let ipv6 = "0020 0014 0002 1234 01131dfa 0102030405060708 090a0b05"
        let software = "8022 0005 636f7475 72000000"
        return FuzzReader(
            seeds: [
                "0101 000c \(transaction) \(ipv4)", "0101 0018 \(transaction) \(ipv6)",
                "0101 0018 \(transaction) \(software) \(ipv4)", "0111 0008 \(transaction) 0009 0004 00000401",
            ].map { bytes(hexadecimal: $0) },
            words: [ipv4, ipv6, software, "0101", "00200008", "00200014", "ffff"].map { bytes(hexadecimal: $0) },
            read: { fuzzSTUN($0) }
        )
    }

    /// Short frames of every kind, as both sides would send them.
    static var webSocket: FuzzReader {
        let frames = ([nil, 0x37fa_213d] as [UInt32?]).flatMap { mask in
            let binary = WebSocketFrameHeader(.binary, payloadLength: 300, mask: mask).encoded
            let start = WebSocketFrameHeader(.text, payloadLength: 3, mask: mask, isFinal: false).encoded
            let end = WebSocketFrameHeader(.continuation, payloadLength: 4, mask: mask).encoded
            return [
                WebSocketFrame.text("{\"AppInfo\":{\"ElapsedTime\":1,\"NumBytes\":2}}", mask: mask),
                WebSocketFrame.ping(Array("ping".utf8), mask: mask), WebSocketFrame.close(.normal, "bye", mask: mask),
                binary + [UInt8](repeating: 0x5a, count: 300), start + [1, 2, 3] + end + [4, 5, 6, 7],
            ]
        }
        return FuzzReader(
            seeds: frames,
            words: frames,
            read: { fuzzWebSocket($0.span.bytes) }
        )
    }

    /// The messages of a datagram, each with its header.
    private static func messages(_ datagram: [UInt8]) throws -> [[UInt8]] {
        var reader = MessageReader()
        var messages: [[UInt8]] = []
        while let message = try reader.next(in: datagram.span.bytes) {
            messages.append(Array(datagram[(message.payload.lowerBound - 16)..<message.payload.upperBound]))
        }
        return messages
    }
}
