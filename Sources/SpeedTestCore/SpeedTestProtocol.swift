/// What a speed-test server understands.
public enum SpeedTestProtocol: String, Sendable, Codable, CaseIterable {
    /// This project's own: `/ping`, `/download?size=N`, `/upload`, and counters of what arrived.
    case speedlab
    /// LibreSpeed's backend: `garbage.php`, `empty.php`.
    case librespeed
    /// speed.cloudflare.com: `/__down`, `/__up`.
    case cloudflare
    /// Apple's networkQuality (draft-ietf-ippm-responsiveness): `/.well-known/nq`.
    case networkquality
    /// M-Lab's ndt7: WebSockets, one connection a direction.
    case ndt7
}
