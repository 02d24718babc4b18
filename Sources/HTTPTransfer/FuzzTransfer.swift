import FoundationEssentials

/// Reads a URL as configuration, redirects and portals bring them, for the fuzzer.
///
/// An accepted URL has no line end, and its scheme, host and port read the same again: a difference traps.
///
/// - Returns: whether it was accepted.
package func fuzzURL(_ bytes: [UInt8]) -> Bool {
    guard let parts = URLParts(String(decoding: bytes, as: UTF8.self)) else { return false }
    precondition(bytes.allSatisfy { $0 > 0x20 && $0 != 0x7f })
    precondition(URLParts("\(parts.isTLS ? "https" : "http")://\(parts.authority)/") == parts)
    return true
}

/// Reads a certificate's date as libcurl writes it, for the fuzzer; an accepted one must be written as it was read.
///
/// - Returns: whether it was accepted.
package func fuzzCertificateDate(_ bytes: [UInt8]) -> Bool {
    guard let date = CertificateDate.parse(bytes.span.bytes) else { return false }
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
    // `2026-11-21 12:00:00Z`; before 1583 the style writes the Julian calendar.
    let isWritten =
        date.timeIntervalSince1970 < -12_212_553_600
        || date.formatted(style).utf8.elementsEqual(bytes.prefix(19) + [UInt8(ascii: "Z")])
    precondition(isWritten)
    return true
}
