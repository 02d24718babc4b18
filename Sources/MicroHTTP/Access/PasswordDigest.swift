import CGnuTLS

/// A user, a hash and a password in one value that reveals none of them: a digest with a key of this process.
struct PasswordDigest: Hashable {
    private let bytes: [UInt8]

    /// Makes digests with a key of its own.
    struct Maker: Sendable {
        private let key: [UInt8]

        init() {
            var generator = SystemRandomNumberGenerator()
            key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }

        /// nil where the library has no SHA-256.
        func digest(_ user: String, _ hash: BcryptHash, _ password: [UInt8]) -> PasswordDigest? {
            let name = Array(user.utf8)
            // The hash has a fixed length, and the name is preceded by its own.
            let message = Array("\(name.count):".utf8) + name + hash.bytes + password
            var digest = [UInt8](repeating: 0, count: Int(gnutls_hmac_get_len(GNUTLS_MAC_SHA256)))
            let status = gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key.count, message, message.count, &digest)
            return status == GNUTLS_E_SUCCESS ? PasswordDigest(bytes: digest) : nil
        }
    }
}
