import CMicroHTTPD
import Glibc

/// A request's target as it arrived, up to the first NUL.
struct RawTarget {
    let bytes: [UInt8]
    /// Where it is in libmicrohttpd's buffer.
    fileprivate let place: UInt

    /// Copies it, and hides its query from libmicrohttpd.
    init(taking target: UnsafePointer<CChar>) {
        bytes = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
        place = UInt(bitPattern: target)
        nhe_mhd_hide_query(target)
    }
}

/// The head of a request as libmicrohttpd left it in its buffer, where line ends, and the ends of names, have become NULs.
///
/// libmicrohttpd 0.9.75 ends a method, a target and a value at a NUL, joins a continued line with the one before (obs-fold,
/// RFC 9112 section 5.2), and takes a line that begins with a colon or a NUL for the end of the headers. In each case bytes
/// are left between what it reports: a proxy in front may have read them as a header. One shape cannot be detected: a
/// colon alone on the last line, with LF instead of CR LF, looks like the end.
///
/// 1.0 refuses all of them itself, that one too (``LibraryVersion/hasStrictParser``).
struct HeaderBlock {
    private(set) var headers = Headers()
    /// Bytes of the request line and the headers.
    let size: Int
    /// Where the last field ended.
    private var end: UInt
    private var isGapless: Bool
    /// Whether nothing but line ends lies between the fields, and up to the end of the headers.
    private(set) var isWhole = false

    /// LF or CR LF.
    private static let lineEnd: ClosedRange<UInt> = 1...2

    /// - Parameters:
    ///   - connection: in the first call of its request's handler.
    ///   - method: the first bytes of the request.
    ///   - target: follows it.
    ///   - version: the end of the request line.
    init(
        of connection: OpaquePointer,
        method: UnsafePointer<CChar>,
        target: RawTarget,
        version: UnsafePointer<CChar>
    ) {
        size = nhe_mhd_header_size(connection)
        end = UInt(bitPattern: version) &+ UInt(strlen(version))
        isGapless = Self.isSeparated(method, target.place) && UInt(bitPattern: version) == target.end &+ 1
        _ = withUnsafeMutablePointer(to: &self) {
            MHD_get_connection_values_n(connection, .HEADER_KIND, addHeader, $0)
        }
        let rest = UInt(bitPattern: method) &+ UInt(size) &- end
        isWhole =
            LibraryVersion.current.hasStrictParser
            || isGapless && (2 * Self.lineEnd.lowerBound...2 * Self.lineEnd.upperBound).contains(rest)
    }

    /// Adds the next field, in the order of the lines.
    mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if !Self.lineEnd.contains(UInt(bitPattern: name.baseAddress) &- end) { isGapless = false }
        end = UInt(bitPattern: value.baseAddress) &+ UInt(value.count)
        headers.add(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// Whether a request has a trailer, so that the next one may have been meant as a part of it.
    ///
    /// libmicrohttpd 0.9.75 takes a line that begins with a colon or a NUL for the end there, too, and the line behind it
    /// for the next request. Where a NUL begins the first line, it reports no trailer.
    ///
    /// - Parameters:
    ///   - headers: Those of the request.
    ///   - connection: In the last call of its request's handler.
    /// - Returns: False with a library that reads trailers strictly.
    static func mayEndEarly(_ headers: Headers, of connection: OpaquePointer) -> Bool {
        headers["Transfer-Encoding"] != nil && !LibraryVersion.current.hasStrictParser
            && MHD_get_connection_values(connection, .FOOTER_KIND, nil, nil) > 0
    }

    /// Whether only spaces lie between the method and the target: the first has become a NUL.
    private static func isSeparated(_ method: UnsafePointer<CChar>, _ target: UInt) -> Bool {
        let spaces = method + strlen(method) + 1
        let count = target &- UInt(bitPattern: spaces)
        // A target that is not there is elsewhere.
        return count <= 65_536
            && UnsafeRawBufferPointer(start: spaces, count: Int(count)).allSatisfy { $0 == UInt8(ascii: " ") }
    }
}

extension RawTarget {
    fileprivate var end: UInt { place &+ UInt(bytes.count) }
}
