/// The rules of SpeedLabServer (github.com/andrey-torlopov/SpeedLabServer), of which `SpeedlabServer` is one with these.
struct SpeedLabServerRules: Sendable {
    /// Of a download; other sizes, also 0, are answered with 400.
    static let downloads: ClosedRange<UInt64> = 1...104_857_600
    /// Of the whole body of an upload (50 MB in Vapor's unit); more is answered with 413.
    static let largestBody = 52_428_800

    /// An upload that has arrived: its beginning and its end.
    struct Upload: Sendable {
        var contentType: String
        var beginning: [UInt8] = []
        var end: [UInt8] = []

        static let kept = 1024

        mutating func take(_ bytes: ArraySlice<UInt8>) {
            beginning += bytes.prefix(max(0, Self.kept - beginning.count))
            end = Array((end + bytes.suffix(Self.kept)).suffix(Self.kept))
        }
    }

    /// The answer to an upload: 201 for a whole `multipart/form-data` with a file in the field `file`.
    static func status(of upload: Upload) -> String {
        let prefix = "multipart/form-data; boundary="
        guard upload.contentType.hasPrefix(prefix) else { return "415 Unsupported Media Type" }
        let boundary = upload.contentType.dropFirst(prefix.count)
        let head = String(decoding: upload.beginning, as: UTF8.self)
        let field = #"Content-Disposition: form-data; name="file"; filename=""#
        guard head.hasPrefix("--\(boundary)\r\n\(field)"), head.contains("\r\n\r\n"),
            upload.end.suffix(boundary.utf8.count + 8).elementsEqual("\r\n--\(boundary)--\r\n".utf8)
        else { return "422 Unprocessable Entity" }
        return "201 Created"
    }
}
