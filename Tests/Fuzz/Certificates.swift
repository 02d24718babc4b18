import FoundationEssentials
import HTTPTransfer

/// What servers show before they are trusted.
extension FuzzReader {
    /// One of openssl(1), for two names, an address and a mailbox.
    static var certificate: FuzzReader {
        let encoded = """
            MIIB7DCCAZOgAwIBAgIUGQpuR9ifBOYRmfQErAARX+zGSkMwCgYIKoZIzj0EAwIwMDELMAkGA1UEBhMCWFgxDTALBgNVBAoMBEZ1enoxEjAQBg
            NVBAMMCWZ1enoudGVzdDAeFw0yNjExMjIyMzAyNDhaFw0zNjExMTkyMzAyNDhaMDAxCzAJBgNVBAYTAlhYMQ0wCwYDVQQKDARGdXp6MRIwEAYD
            VQQDDAlmdXp6LnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASeuhJWfsh/cH5cgSFY8a2/mXTm21nJ+6eRuoxcYB4ktxyh9lUc5T8Eor
            8VGWg4FwS0BLf+Ojkd7AtIT6v+I2HIo4GKMIGHMB0GA1UdDgQWBBQSvu+uDHEC/td+fdeIK5wo8DNGpjAfBgNVHSMEGDAWgBQSvu+uDHEC/td+
            fdeIK5wo8DNGpjAPBgNVHRMBAf8EBTADAQH/MDQGA1UdEQQtMCuCCWZ1enoudGVzdIILKi5mdXp6LnRlc3SHBMAAAgGBC2FAZnV6ei50ZXN0MA
            oGCCqGSM49BAMCA0cAMEQCIGKDCsUWGJCJA8aJUyvyb6vzhDpPXkbXsp/CsfZb/SpjAiBwkn2glyvBstVl/cVYdhaUakJjNQgn+TA47dJSCW3M
            JA==
            """
        return FuzzReader(
            seeds: [Data(base64Encoded: encoded, options: .ignoreUnknownCharacters).map(Array.init) ?? []],
            // The lengths and the tags of DER, and an extension's number.
            words: [
                [0x30, 0x80], [0x82, 0xff, 0xff], [0x82, 0x00], [0xa0, 0x03], [0x17, 0x0d], [0x55, 0x1d, 0x11],
            ],
            read: fuzzCertificate
        )
    }
}
