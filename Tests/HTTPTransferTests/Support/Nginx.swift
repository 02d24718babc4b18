import Foundation
import Glibc
import Lab
import Posix
import Testing

/// nginx on loopback, with certificates good and bad; ends with its last owner.
final class Nginx: Sendable {
    /// One for all tests.
    static let shared = Result { try Nginx() }

    let folder: Folder
    let certificates: Certificates
    let port: UInt16
    private let tlsPorts: [String: UInt16]
    private let process: ChildProcess

    var url: String { "http://127.0.0.1:\(port)" }

    /// Where the certificate of that name is shown: `good`, `edwards`, `other`, `expired`, `early`, `selfsigned`, `asking`.
    func tlsPort(_ certificate: String) -> UInt16 { tlsPorts[certificate] ?? 0 }

    private init() throws {
        certificates = try Certificates.shared.get()
        folder = try Folder()
        let names = ["good", "edwards", "other", "expired", "early", "selfsigned", "asking"]
        // A port that is closed again may be given twice.
        var closed: Set<UInt16> = []
        while closed.count <= names.count { closed.insert(try Loopback.closedPort()) }
        let ports = Array(closed)
        port = ports[0]
        tlsPorts = Dictionary(uniqueKeysWithValues: zip(names, ports.dropFirst()))
        try FileManager.default.createDirectory(atPath: folder.file("root/dav"), withIntermediateDirectories: true)
        let big = open(folder.file("root/big"), O_CREAT | O_WRONLY, 0o600)
        ftruncate(big, 1 << 30)
        close(big)
        try folder.write("hello", to: "root/hello")
        try folder.write(Self.configuration(folder, certificates, port, tlsPorts), to: "nginx.conf")
        process = try ChildProcess([
            "/usr/sbin/nginx", "-p", folder.path, "-c", folder.file("nginx.conf"), "-e", folder.file("error.log"),
        ])
        try waitUntilReady()
        // The process of the tests ends without a deinit.
        atexit {
            guard let nginx = try? Nginx.shared.get() else { return }
            nginx.process.end()
            for folder in [nginx.folder, nginx.certificates.folder] {
                try? FileManager.default.removeItem(atPath: folder.path)
            }
        }
    }

    private func waitUntilReady() throws {
        for _ in 0..<500 {
            if (try? run(["curl", "-sf", "\(url)/hello"])) != nil { return }
            usleep(10_000)
        }
        throw CommandFailure(
            description: "nginx: \((try? String(contentsOfFile: folder.file("error.log"), encoding: .utf8)) ?? "")"
        )
    }

    private static func configuration(
        _ folder: Folder,
        _ certificates: Certificates,
        _ port: UInt16,
        _ tlsPorts: [String: UInt16]
    ) -> String {
        let servers = tlsPorts.map { name, port in
            let certificate = name == "asking" ? "good" : name
            return """
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(certificates.folder.file("\(certificate).crt"));
                    ssl_certificate_key \(certificates.folder.file("\(certificate).key"));
                    ssl_client_certificate \(certificates.authority);
                    ssl_verify_client \(name == "asking" ? "on" : "off");
                    location / { return 200 "$ssl_server_name $http_host"; }
                }
                """
        }
        return """
            daemon off; master_process off; pid \(folder.path)/pid; error_log \(folder.path)/error.log;
            events { worker_connections 2048; }
            http {
                access_log off; ssl_protocols TLSv1.2 TLSv1.3; client_max_body_size 0; keepalive_requests 100000;
                # /echo answers before it has the body: how long it then listens must not depend on this machine's load.
                lingering_time 300s; lingering_timeout 60s;
                client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                server {
                    listen 127.0.0.1:\(port) backlog=1024; root \(folder.path)/root; sendfile on;
                    location = /204 { return 204; }
                    location = /echo { return 200 "$request_method $content_length $http_user_agent"; }
                    location /dav/ { dav_methods PUT DELETE; }
                    location = /moved { return 302 /hello; }
                }
                \(servers.joined(separator: "\n"))
            }
            """
    }
}
