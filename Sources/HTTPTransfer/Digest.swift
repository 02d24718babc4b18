import CCurl

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
