import CMicroHTTPD

/// The version of libmicrohttpd that the process runs with: a later one than that of the build may have the same soname.
struct LibraryVersion: Equatable {
    /// "0.9.75".
    let text: String

    static let current = LibraryVersion(text: String(cString: MHD_get_version()))

    /// Whether the library itself refuses the heads that ``HeaderBlock`` looks for, when it is asked to be strict.
    ///
    /// 1.0 has a new parser (RFC 9112), which removes the spaces after a value, so that the places of the fields say nothing.
    var hasStrictParser: Bool { text.prefix { $0 != "." } != "0" }
}
