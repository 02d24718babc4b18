/// Refuses what is no text of a bearable size before libyaml sees it, whose own messages give byte offsets.
func validateText(_ bytes: Span<UInt8>, file: String, limit: Int) throws(YAMLError) {
    guard bytes.count <= limit else {
        throw YAMLError(file: file, line: 1, message: "larger than \(limit) bytes")
    }
    do throws(UTF8.ValidationError) {
        _ = try UTF8Span(validating: bytes)
    } catch {
        throw YAMLError(
            file: file,
            line: line(of: error.byteOffsets.lowerBound, in: bytes),
            message: "expected UTF-8 text"
        )
    }
    for offset in bytes.indices where bytes[offset] == 0 {
        throw YAMLError(file: file, line: line(of: offset, in: bytes), message: "a NUL character is not allowed")
    }
}

/// The line on which a byte stands, counted from 1.
private func line(of offset: Int, in bytes: Span<UInt8>) -> Int {
    bytes.extracting(first: offset).indices.count { bytes[$0] == UInt8(ascii: "\n") } + 1
}
