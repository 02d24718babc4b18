import CLinux
import Glibc
import Netlink
import Posix
import Testing

struct KernelAnswerTests {
    private static let request = Build.message(type: 26, [UInt8](repeating: 0, count: 12))
    private static let text = Build.attribute(1, "no such thing")

    @Test(
        arguments: [
            // Plain; with text behind the whole request; with text behind its header only; the end of a failed dump.
            (Int(NLMSG_ERROR), Int32(0), Build.integer(-ENODEV) + request, nil),
            (Int(NLMSG_ERROR), NLM_F_ACK_TLVS, Build.integer(-ENODEV) + request + text, "no such thing"),
            (
                Int(NLMSG_ERROR), NLM_F_ACK_TLVS | NLM_F_CAPPED, Build.integer(-ENODEV) + request.prefix(16) + text,
                "no such thing"
            ),
            (Int(NLMSG_DONE), NLM_F_ACK_TLVS | NLM_F_MULTI, Build.integer(-ENODEV) + text, "no such thing"),
        ] as [(Int, Int32, [UInt8], String?)]
    )
    func `reads the errno and the text`(type: Int, flags: Int32, payload: [UInt8], text: String?) throws {
        #expect(try Self.read(type, flags, payload).error == .kernel(errno: ENODEV, text: text))
    }

    @Test func `takes 0 for success`() throws {
        #expect(try Self.read(Int(NLMSG_DONE), NLM_F_MULTI, Build.integer(Int32(0))).error == nil)
    }

    @Test(arguments: [Int32.min, 1, .max])
    func `refuses an invalid errno`(code: Int32) {
        #expect(throws: NetlinkError.malformed(what: "error number", offset: 0)) {
            try Self.read(Int(NLMSG_ERROR), 0, Build.integer(code) + Self.request)
        }
    }

    private static func read(_ type: Int, _ flags: Int32, _ payload: [UInt8]) throws -> KernelAnswer {
        let message = try #require(try Parse.messages(Build.message(type: type, flags: flags, payload)).first)
        return try KernelAnswer(message.message, payload: payload.span.bytes)
    }
}
