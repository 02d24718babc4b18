/// The beginning of a `multipart/form-data` body (RFC 7578) with one part: the name of its file, and the bytes around
/// it.
package struct MultipartHead: Sendable {
    /// Bytes that are searched for the head of the first part.
    private static let limit = 4096

    private let boundaryLength: Int
    private var bytes: [UInt8] = []
    /// Up to the end of the first part's headers; nil until that has arrived.
    private var headLength: Int?
    /// The value of `filename`; nil without one, and before the head is complete.
    package private(set) var filename: String?

    /// nil for any other `Content-Type`.
    package init?(contentType: String) {
        let parts = contentType.split(separator: ";").map { $0.drop { $0 == " " } }
        guard let type = parts.first, type.lowercased() == "multipart/form-data",
            let parameter = parts.first(where: { $0.lowercased().hasPrefix("boundary=") })
        else { return nil }
        boundaryLength = parameter.dropFirst("boundary=".count).filter { $0 != "\"" }.utf8.count
    }

    /// Takes the next piece of the body; bytes after the first part's head are ignored.
    package mutating func take(_ piece: RawSpan) {
        guard headLength == nil, bytes.count < Self.limit else { return }
        for offset in 0..<min(piece.byteCount, Self.limit - bytes.count) {
            bytes.append(piece.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            guard bytes.suffix(4).elementsEqual([13, 10, 13, 10]) else { continue }
            headLength = bytes.count
            filename = Self.filename(in: bytes)
            bytes = []
            return
        }
    }

    /// The size of the file in a body of `total` bytes.
    package func fileSize(ofBody total: UInt64) -> UInt64 {
        guard let headLength else { return total }
        // A line break, `--`, the boundary, `--` and a line break end the last part.
        let around = UInt64(headLength + boundaryLength + 8)
        return total > around ? total - around : 0
    }

    private static func filename(in head: [UInt8]) -> String? {
        let text = String(decoding: head, as: UTF8.self)
        guard let start = text.firstRange(of: "filename=\"")?.upperBound else { return nil }
        var name = ""
        var isEscaped = false
        for character in text[start...] {
            if character == "\"", !isEscaped { return name }
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { name.append(character) }
        }
        return nil
    }
}
