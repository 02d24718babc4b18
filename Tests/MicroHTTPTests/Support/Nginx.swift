import Foundation
import Lab

/// nginx on loopback, which answers 200 for `/a`: the reference for what a request is.
final class Nginx: Sendable {
    let port: UInt16
    private let folder: String
    private let process: ChildProcess

    init() throws {
        port = try Loopback.closedPort()
        let folder = FileManager.default.temporaryDirectory.appending(path: "nhe-nginx-\(UUID().uuidString)").path()
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
        let configuration = """
            daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/error.log;
            events {}
            http {
                access_log off; large_client_header_buffers 4 32k; \(paths.joined(separator: " "))
                server { listen 127.0.0.1:\(port); location = /a { return 200 "a"; } }
            }
            """
        try configuration.write(toFile: "\(folder)/nginx.conf", atomically: false, encoding: .utf8)
        process = try ChildProcess([
            "/usr/sbin/nginx", "-p", folder, "-c", "\(folder)/nginx.conf", "-e", "\(folder)/error.log",
        ])
        for _ in 0..<500 {
            if (try? Client(port).ask("GET", "/a"))?.status == 200 { return }
            usleep(10_000)
        }
        throw CommandFailure(
            description: "nginx: \((try? String(contentsOfFile: "\(folder)/error.log", encoding: .utf8)) ?? "")"
        )
    }

    deinit {
        process.end()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
