import Foundation
import NetworkHealth
import Testing

struct NetworkQualityTests {
    @Test func `orders from offline to excellent`() {
        #expect(NetworkQuality.allCases.sorted() == [.offline, .poor, .moderate, .good, .excellent])
        #expect(NetworkQuality.allCases.map(\.level) == [4, 3, 2, 1, 0])
    }

    @Test func `is at least itself and every lower quality`() {
        for quality in NetworkQuality.allCases {
            for other in NetworkQuality.allCases {
                #expect(quality.isAtLeast(other) == (quality.level >= other.level))
            }
        }
    }

    @Test func `its names are stable in JSON`() throws {
        let json = try JSONEncoder().encode(NetworkQuality.allCases)
        #expect(String(decoding: json, as: UTF8.self) == #"["excellent","good","moderate","poor","offline"]"#)
    }
}
