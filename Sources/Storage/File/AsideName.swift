/// The name of a corrupt file that was moved aside, `test.db.corrupt-20261121T120000Z-2`; the older one is less.
struct AsideName: Comparable {
    static let corrupt = "corrupt"

    let text: String
    private let stamp: Substring
    private let number: Int

    /// - Returns: nil for any other name, also that of a companion.
    init?(_ text: String, of database: some StringProtocol) {
        let prefix = "\(database).\(Self.corrupt)-"
        guard text.hasPrefix(prefix) else { return nil }
        let rest = text.dropFirst(prefix.count).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let stamp = rest.first, stamp.count == 16, stamp.hasSuffix("Z"),
            stamp.dropLast().allSatisfy({ $0.isASCII && $0.isNumber || $0 == "T" }),
            let number = rest.count == 2 ? Int(rest[1]) : 1
        else { return nil }
        (self.text, self.stamp, self.number) = (text, stamp, number)
    }

    static func < (left: Self, right: Self) -> Bool { (left.stamp, left.number) < (right.stamp, right.number) }
}
