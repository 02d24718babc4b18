import Foundation
import Lab

/// nginx on loopback, with certificates good and bad.
final class WebServer: Sendable {
    /// One for all tests.
    static let shared = Result { try WebServer() }

    let port: UInt16
    /// The authority that has signed the certificates, but for `selfsigned`.
    let authority: TestAuthority
    let certificates: [String: TestAuthority.Identity]
    private let tlsPorts: [String: UInt16]
    private let nginx: Nginx

    var url: String { "http://127.0.0.1:\(port)" }

    /// Where the certificate of that name is shown; `asking` shows `good`, and asks for one of the client.
    func tlsPort(_ certificate: String) -> UInt16 { tlsPorts[certificate] ?? 0 }

    /// The path of what it serves under a name.
    func file(_ name: String) -> String { nginx.folder.file("root/\(name)") }

    private init() throws {
        authority = try TestAuthority(valid: .years(2020, 2040))
        certificates = try Self.certificates(of: authority)
        let names = certificates.keys + ["asking"]
        let ports = try (0...names.count).map { _ in try Loopback.closedPort() }
        port = ports[0]
        tlsPorts = Dictionary(uniqueKeysWithValues: zip(names, ports.dropFirst()))
        let (certificates, authority) = (certificates, authority)
        let servers = tlsPorts.compactMap { name, port in
            certificates[name == "asking" ? "good" : name].map { identity in
                """
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(identity.certificate); ssl_certificate_key \(identity.key);
                    ssl_client_certificate \(authority.certificate);
                    ssl_verify_client \(name == "asking" ? "on" : "off");
                    location / { return 200 "$ssl_server_name $http_host"; }
                }
                """
            }
        }
        nginx = try Nginx(
            """
            access_log off; ssl_protocols TLSv1.2 TLSv1.3; client_max_body_size 0; keepalive_requests 100000;
            # /echo answers before it has the body: how long it then listens must not depend on this machine's load.
            lingering_time 300s; lingering_timeout 60s;
            server {
                listen 127.0.0.1:\(port) backlog=1024; root root; sendfile on;
                location = /204 { return 204; }
                location = /echo { return 200 "$request_method $content_length $http_user_agent"; }
                location /dav/ { dav_methods PUT DELETE; }
                location = /moved { return 302 /hello; }
            }
            \(servers.joined(separator: "\n"))
            """
        )
        try nginx.folder.makeFolder("root/dav")
        try nginx.folder.write("root/hello", "hello")
    }

    private static func certificates(of authority: TestAuthority) throws -> [String: TestAuthority.Identity] {
        let (expiry, past) = (Date(timeIntervalSince1970: 2_054_088_306), Date(timeIntervalSince1970: 1_612_325_106))
        let start = Range<Date>.years(2020, 2021).lowerBound
        return try [
            "good": authority.sign("good", valid: start..<expiry),
            "edwards": authority.sign("edwards", for: "IP:127.0.0.1", key: .edwards, valid: start..<expiry),
            "other": authority.sign("other", for: "DNS:other.test", valid: start..<expiry),
            "expired": authority.sign("expired", valid: start..<past),
            "early": authority.sign("early", valid: .years(2034, 2035)),
            "selfsigned": authority.selfSigned(),
        ]
    }
}

extension Range<Date> {
    /// From the beginning of a year to that of another one, in UTC.
    static func years(_ first: Int, _ last: Int) -> Range<Date> {
        func start(_ year: Int) -> Date {
            let days = 365 * (year - 1970) + (year - 1969) / 4
            return Date(timeIntervalSince1970: Double(days * 86_400))
        }
        return start(first)..<start(last)
    }
}
