import Foundation

extension Nginx {
    /// The web servers of a fake internet, for http and https.
    ///
    /// - Parameters:
    ///   - site: what they answer.
    ///   - internet: where they listen.
    ///   - certificate: what they show over HTTPS.
    ///   - second: what `www.gstatic.com` shows.
    ///   - date: the `Date` of their answers; nil: the time of this machine.
    /// - Returns: a server whose `requests` are host, path and user agent.
    /// - Throws: `Failure` where it does not start.
    static func site(
        _ site: FakeInternet.Site,
        in internet: Namespace,
        certificate: TestAuthority.Identity,
        second: TestAuthority.Identity,
        date: Date? = nil
    ) throws -> Nginx {
        let header = date.map { "more_set_headers \"Date: \($0.text("%a, %d %b %Y %H:%M:%S GMT"))\";" } ?? ""
        let locations = site.locations.joined(separator: "\n    ")
        return try Nginx(
            """
            default_type text/plain;
            \(header)
            log_format what '$host $request_uri $http_user_agent';
            access_log access.log what;
            server {
                listen 80;
                listen [::]:80 ipv6only=on;
                listen 443 ssl;
                listen [::]:443 ssl ipv6only=on;
                ssl_certificate \(certificate.certificate);
                ssl_certificate_key \(certificate.key);
                \(locations)
            }
            server {
                server_name www.gstatic.com;
                listen 443 ssl;
                listen [::]:443 ssl;
                ssl_certificate \(second.certificate);
                ssl_certificate_key \(second.key);
                \(locations)
            }
            """,
            modules: ["ngx_http_headers_more_filter_module"],
            in: internet
        )
    }

    /// One that answers a constant: how late a fast server is on this machine at the moment.
    static func constant(at address: String, in namespace: Namespace? = nil) throws -> Nginx {
        try Nginx(
            #"access_log off; server { listen \#(address); location / { return 200 "constant\n"; } }"#,
            in: namespace
        )
    }

    /// One that serves HTTPS at an address, before a program on a loopback port of the same namespace.
    static func proxy(
        at address: String,
        to port: Int,
        _ identity: TestAuthority.Identity,
        in namespace: Namespace
    ) throws -> Nginx {
        try Nginx(
            """
            access_log off;
            server {
                listen \(address) ssl;
                ssl_certificate \(identity.certificate);
                ssl_certificate_key \(identity.key);
                location / { proxy_pass http://127.0.0.1:\(port); }
            }
            """,
            in: namespace
        )
    }

    /// One before an exporter, which replaces `Accept` where it is given.
    ///
    /// - Returns: a server whose `requests` are status, the client's Accept, the exporter's Content-Type and
    ///   Content-Encoding, with `|` between them.
    static func proxy(on port: UInt16, to target: String, accept: String?) throws -> Nginx {
        try Nginx(
            """
            log_format what '$status|$http_accept|$upstream_http_content_type|$upstream_http_content_encoding';
            access_log access.log what;
            server {
                listen 127.0.0.1:\(port);
                location / {
                    \(accept.map { "proxy_set_header Accept \"\($0)\";" } ?? "")
                    proxy_pass http://\(target);
                }
            }
            """
        )
    }
}

extension FakeInternet.Site {
    fileprivate var locations: [String] {
        switch self {
        case .honest:
            [
                "location = /generate_204 { return 204; }",
                #"location = /success.txt { return 200 "success\n"; }"#,
                #"location = /graphql { default_type application/json; return 200 '{"data":{"__typename":"Query"}}'; }"#,
                #"location = /dated { add_header Last-Modified "Sun, 06 Nov 1994 08:49:37 GMT"; return 200 "old\n"; }"#,
                #"location / { return 200 "hello\n"; }"#,
            ]
        case .redirectingPortal: ["location / { return 302 http://portal.test/login; }"]
        case .loginPage: [#"location / { return 200 "<html>Please log in to use this network</html>\n"; }"#]
        case .emptyPage: [#"location / { return 200 ""; }"#]
        }
    }
}
