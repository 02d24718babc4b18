import HTTPTransfer
import Lab
import Netlink
import Testing

@testable import Probing

struct CaptivePortalFuzzTests {
    @Test(.timeLimit(.minutes(1))) func `survives 100,000 changed documents`() {
        var random = SplitMix64(state: 0x6361_7074_6976_65)
        var understood = 0
        for _ in 0..<100_000 {
            var response = CaptivePortalAPITests.response(CaptivePortalAPITests.example)
            for _ in 0..<Int.random(in: 1...4, using: &random) { response.body.mutate(using: &random) }
            guard let status = CaptivePortalAPI.status(from: response) else { continue }
            understood += 1
            if let url = status.portalURL { #expect(url.lowercased().hasPrefix("https://")) }
        }
        // Some changes touch only what does not matter, others break the document.
        #expect(understood > 1000 && understood < 99_000)
    }

    @Test(.timeLimit(.minutes(1))) func `survives 100,000 changed options`() {
        var random = SplitMix64(state: 0x6f70_7469_6f6e)
        for _ in 0..<100_000 {
            var bytes = Array("https://portal.example.org/api".utf8) + [0, 0]
            for _ in 0..<Int.random(in: 1...4, using: &random) { bytes.mutate(using: &random) }
            let option = NeighbourOption(interfaceIndex: 7, type: 37, bytes: bytes)
            guard let uri = CaptivePortalAdvertisement(option)?.uri else { continue }
            #expect(uri.lowercased().hasPrefix("https://") && !uri.utf8.contains(0))
        }
    }
}

extension [UInt8] {
    fileprivate mutating func mutate(using random: inout SplitMix64) {
        guard count > 1 else { return }
        let offset = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: self[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: self[offset] = .random(in: 0...255, using: &random)
        case 2: removeSubrange(offset..<Swift.min(count, offset + Int.random(in: 1...8, using: &random)))
        default: insert(contentsOf: Array("\"[{,9e-".utf8).shuffled(using: &random), at: offset)
        }
    }
}
