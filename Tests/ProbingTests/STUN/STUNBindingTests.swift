import Lab
import Posix
import Testing

@testable import Probing

struct STUNBindingTests {
    private let binding = STUNBinding()

    private func answer(
        type: [UInt8] = [1, 1],
        _ attributes: [UInt8],
        length: Int? = nil,
        _ change: (inout [UInt8]) -> Void = { _ in }
    ) -> [UInt8] {
        let length = length ?? attributes.count
        var message = type + [UInt8(length >> 8), UInt8(length & 255)] + binding.request[4...] + attributes
        change(&message)
        return message
    }

    private func attribute(_ address: String) throws -> [UInt8] {
        let bytes = try #require(IPAddress(address)).bytes
        let value = zip(bytes, binding.request[4...]).map { $0 ^ $1 }
        return [0, 0x20, 0, UInt8(value.count + 4), 0, value.count == 4 ? 1 : 2, 0x12, 0x34] + value
    }

    @Test func `the request is a header of 20 bytes with another transaction each time`() {
        #expect(binding.request.count == 20)
        #expect(Array(binding.request.prefix(8)) == [0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42])
        #expect(STUNBinding().request != binding.request)
    }

    @Test(arguments: ["198.18.7.9", "2001:db8::7:9"])
    func `the address is that of the attribute, behind others with padding, too`(text: String) throws {
        let address = IPAddress(text)
        #expect(binding.address(in: answer(try attribute(text))) == address)
        let software: [UInt8] = [0x80, 0x22, 0, 5] + Array("coturn".utf8.prefix(5)) + [0, 0, 0]
        #expect(binding.address(in: answer(software + (try attribute(text)))) == address)
    }

    @Test func `the reader of the fuzzer takes an answer to any request, and no other bytes`() throws {
        for text in ["198.18.7.9", "2001:db8::7:9"] {
            let good = answer(try attribute(text))
            #expect(fuzzSTUN(good))
            var random = SplitMix64(state: 37)
            for count in 0..<good.count {
                #expect(!fuzzSTUN(Array(good.prefix(count))))
                var bytes = good
                bytes[count] = UInt8(truncatingIfNeeded: random.next())
                _ = fuzzSTUN(bytes)
            }
        }
        #expect(!fuzzSTUN(answer(type: [1, 0x11], try attribute("198.18.7.9"))))
    }

    @Test func `what is not a whole answer to this request has no address`() throws {
        let good = answer(try attribute("198.18.7.9"))
        for count in 0..<good.count { #expect(binding.address(in: Array(good.prefix(count))) == nil, "\(count) bytes") }
        #expect(binding.address(in: good + [0]) == nil, "more than the length says")
        #expect(STUNBinding().address(in: good) == nil, "another transaction")
        let attribute = try attribute("198.18.7.9")
        #expect(binding.address(in: answer(attribute) { $0[4] ^= 1 }) == nil, "another cookie")
        #expect(binding.address(in: answer(type: [1, 0x11], attribute)) == nil, "an error")
        #expect(binding.address(in: answer([])) == nil)
        #expect(binding.address(in: answer([0x80, 0x22, 0xff, 0xff] + attribute)) == nil, "longer than the datagram")
        #expect(
            binding.address(in: answer([0, 0x20, 0, 20] + attribute.dropFirst(4))) == nil,
            "longer than the datagram"
        )
        #expect(binding.address(in: answer([0, 0x20, 0, 4, 0, 1, 0, 0])) == nil, "without an address")
        #expect(
            binding.address(in: answer([0, 0x20, 0, 8, 0, 2, 0, 0, 1, 2, 3, 4])) == nil,
            "the other family's length"
        )
        #expect(binding.address(in: answer([0, 0x20, 0, 0])) == nil)
    }
}
