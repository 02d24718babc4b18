import Netlink
import Posix
import Testing

struct RequestTests {
    @Test func `fills in the length, the number and the request flag`() throws {
        var request = Request(type: 26, flags: 0x300)
        request.append(UInt32(2))
        request.append(attribute: 1, [198, 18, 0])
        request.append(attribute: 16, 7)
        let (message, payload) = try #require(try Parse.messages(request.numbered(5)).first)
        #expect(message.type == 26 && message.flags == 0x301 && message.sequence == 5)
        #expect(payload == [2, 0, 0, 0, 7, 0, 1, 0, 198, 18, 0, 0, 8, 0, 16, 0, 7, 0, 0, 0])
    }
}
