import MicroHTTP

/// Consecutive texts, joined to one part of a body; in each round every text is put, in the same order.
struct JoinedTexts: Sendable {
    private var bytes: [UInt8] = []
    /// Where each text ends.
    private var ends: [Int] = []
    /// How many texts were put in this round.
    private var count = 0
    /// The part of the last round; nil if a text has changed since.
    private var part: BodyPart?

    /// The next text; nil: that of the last round.
    mutating func put(_ text: [UInt8]?) {
        let start = count == 0 ? 0 : ends[count - 1]
        if count == ends.count { ends.append(start) }
        let place = start..<ends[count]
        if let text, !(text.isEmpty && place.isEmpty) {
            // First, as the bytes would be copied otherwise.
            part = nil
            bytes.replaceSubrange(place, with: text)
            for index in count..<ends.count { ends[index] += text.count - place.count }
        }
        count += 1
    }

    /// Ends the round.
    mutating func joined() -> BodyPart {
        count = 0
        let part = part ?? BodyPart(bytes)
        self.part = part
        return part
    }
}
