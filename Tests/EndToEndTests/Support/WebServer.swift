import Foundation
import Glibc

/// A real nginx in the internet, for http and https.
final class WebServer {
    private let program: Program
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - site: what it answers.
    ///   - namespace: where it listens.
    ///   - certificate: what it shows over HTTPS.
    ///   - second: what it shows as `www.gstatic.com`.
    ///   - date: the `Date` of its answers; nil: the time of this machine.
    /// - Throws: `Failure` where it does not start.
    init(
        _ site: FakeInternet.Site,
        in namespace: Namespace,
        certificate: Certificates.Pair,
        second: Certificates.Pair,
        date: Date? = nil
    ) async throws {
        folder = try TemporaryFolder()
        let configuration = try folder.write(
            "nginx.conf",
            Self.configuration(site, folder: folder.path, certificate: certificate, second: second, date: date)
        )
        let command = ["nginx", "-p", folder.path, "-e", "\(folder.path)/error.log", "-c", configuration]
        program = try Program(namespace.prefix + command)
        let program = program
        try await poll("nginx in \(namespace.name)") {
            guard program.isRunning else { throw Failure(description: "nginx has ended: \(program.errors)") }
            let url = "http://\(FakeInternet.webIPv4)/"
            return try? await HTTPResponse.of(url, prefix: namespace.prefix)
        }
    }

    /// For each request: host, path and user agent.
    func requests() async throws -> [String] {
        try await output(of: ["cat", "\(folder.path)/access.log"]).split(separator: "\n").map(String.init)
    }

    func stop() async throws {
        program.signal(SIGQUIT)
        _ = try await program.status()
    }

    private static func configuration(
        _ site: FakeInternet.Site,
        folder: String,
        certificate: Certificates.Pair,
        second: Certificates.Pair,
        date: Date?
    ) -> String {
        let header =
            date.map {
                "more_set_headers \"Date: \($0.text("%a, %d %b %Y %H:%M:%S GMT"))\";"
            } ?? ""
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n    ")
        return """
            load_module /usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so;
            daemon off;
            user root;
            worker_processes 1;
            pid \(folder)/nginx.pid;
            error_log \(folder)/error.log;
            events {}
            http {
                \(temporary)
                default_type text/plain;
                \(header)
                log_format what '$host $request_uri $http_user_agent';
                access_log \(folder)/access.log what;
                server {
                    listen 80;
                    listen [::]:80 ipv6only=on;
                    listen 443 ssl;
                    listen [::]:443 ssl ipv6only=on;
                    ssl_certificate \(certificate.certificate);
                    ssl_certificate_key \(certificate.key);
                    \(locations(site).joined(separator: "\n        "))
                }
                server {
                    server_name www.gstatic.com;
                    listen 443 ssl;
                    listen [::]:443 ssl;
                    ssl_certificate \(second.certificate);
                    ssl_certificate_key \(second.key);
                    \(locations(site).joined(separator: "\n        "))
                }
            }

            """
    }

    private static func locations(_ site: FakeInternet.Site) -> [String] {
        switch site {
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
