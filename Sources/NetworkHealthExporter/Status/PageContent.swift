import CAssets
import CGnuTLS
import FoundationEssentials

/// The embedded files of the page, and the policy that lets a browser use these and nothing else.
///
/// They are copied out of the executable where they are used: most exporters are never asked for the page.
enum PageContent {
    static var style: String { text(nhe_page_style(), nhe_page_style_size()) }
    static var script: String { text(nhe_page_script(), nhe_page_script_size()) }
    private static var template: String { text(nhe_page(), nhe_page_size()) }

    private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The page; each `${name}` of the template is replaced once, so that a value may contain such text.
    static func html(_ values: [String: String]) -> String {
        let values = values.merging(["style": style, "script": script]) { own, _ in own }
        var parts = template.split(separator: "${", omittingEmptySubsequences: false)
        var text = String(parts.removeFirst())
        for part in parts {
            guard let end = part.firstIndex(of: "}") else { continue }
            text += values[String(part[..<end])] ?? ""
            text += part[part.index(after: end)...]
        }
        return text
    }

    /// `Content-Security-Policy`: no other script or style than those of the page, and requests to this server only.
    ///
    /// A text of the network or of an application that became markup by mistake could therefore do nothing.
    static var policy: String {
        let rules = [
            "default-src 'none'", "style-src \(source(style))", "script-src \(source(script))",
            // The page's icon is a part of the page.
            "connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ]
        return rules.joined(separator: "; ")
    }

    /// An inline text by its hash; without SHA-256 it is not allowed, and the page has its links only.
    private static func source(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: Int(gnutls_hash_get_len(GNUTLS_DIG_SHA256)))
        guard gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, bytes.count, &digest) == GNUTLS_E_SUCCESS else {
            return "'none'"
        }
        return "'sha256-\(Data(digest).base64EncodedString())'"
    }
}
