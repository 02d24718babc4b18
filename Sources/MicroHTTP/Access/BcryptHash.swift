import CCrypt
import Glibc

/// The bcrypt hash of a password, as `htpasswd -B` writes it: `$2y$10$…`.
public struct BcryptHash: Sendable, Hashable {
    /// The costs that are accepted: each step doubles the time, and 14 takes about a second.
    public static let costs = 4...14
    /// What a text must be.
    public static let expectation = "a bcrypt hash such as htpasswd -nB writes ($2a$, $2b$ or $2y$)"

    /// The binary logarithm of the rounds.
    public let cost: Int
    /// The text.
    let bytes: [UInt8]

    /// - Throws: ``BcryptError`` for another text, and for a cost that is not accepted.
    public init(_ text: String) throws(BcryptError) {
        let bytes = Array(text.utf8)
        guard bytes.count == 60, ["$2a$", "$2b$", "$2y$"].contains(where: text.hasPrefix), bytes[6] == Self.dollar,
            let cost = Self.number(bytes[4...5]), bytes[7...].allSatisfy(Self.isDigit)
        else { throw BcryptError(description: "expected \(Self.expectation)") }
        guard cost <= Self.costs.upperBound else {
            throw BcryptError(
                description:
                    "expected a cost of at most \(Self.costs.upperBound), and it is \(cost): a login would take too long"
            )
        }
        guard cost >= Self.costs.lowerBound else {
            throw BcryptError(description: "expected a cost of at least \(Self.costs.lowerBound), and it is \(cost)")
        }
        self.cost = cost
        self.bytes = bytes
    }

    /// A hash of that cost which no known password has: for users that do not exist.
    init(unmatchedWithCost cost: Int) {
        self.cost = cost
        let digits = cost < 10 ? "0\(cost)" : "\(cost)"
        bytes = Array("$2b$\(digits)$".utf8) + [UInt8](repeating: UInt8(ascii: "."), count: 53)
    }

    /// Whether it is the hash of a password; takes from a millisecond to a second.
    func matches(_ password: [UInt8]) -> Bool {
        let size = nhe_crypt_data_size()
        let data = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memset(data, 0, size)
        defer {
            explicit_bzero(data, size)
            data.deallocate()
        }
        let phrase = password.map { CChar(bitPattern: $0) } + [0]
        let setting = bytes.map { CChar(bitPattern: $0) } + [0]
        guard let found = crypt_rn(phrase, setting, data, Int32(size)) else { return false }
        // In constant time, whatever the position of the first difference.
        var difference: UInt8 = strlen(found) == bytes.count ? 0 : 1
        for index in 0..<min(bytes.count, strlen(found)) {
            difference |= UInt8(bitPattern: found[index]) ^ bytes[index]
        }
        // The C function would end the password at a NUL.
        return difference == 0 && !password.contains(0)
    }

    private static let dollar = UInt8(ascii: "$")

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Of bcrypt's own base64.
    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

/// Why a text is no hash that can be used; it does not repeat the text.
public struct BcryptError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was expected.
    public let description: String
}
