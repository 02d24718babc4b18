import CCurl

/// The library as a whole.
enum CurlLibrary {
    /// Its global state, made once before the first handle and never undone.
    ///
    /// A `static let` is initialized by one thread while the others wait, which is what curl_global_init(3) asks for.
    static let initialization = curl_global_init(NHE_CURL_GLOBAL_DEFAULT)
}

/// Digests, from the TLS library that libcurl uses.
package enum Digest {
    /// SHA-1, for protocols that ask for it.
    ///
    /// It proves nothing any more. Empty where the library refuses it.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        return gnutls_hash_fast(GNUTLS_DIG_SHA1, bytes, bytes.count, &digest) == 0 ? digest : []
    }
}
