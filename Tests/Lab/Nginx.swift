import Foundation
import Glibc
import Posix

/// nginx in a folder of its own; ends with its last owner.
package final class Nginx: Sendable {
    /// What relative paths of its configuration begin with.
    package let folder: TemporaryFolder
    private let program: Program

    /// Starts it and waits until it listens.
    ///
    /// - Parameters:
    ///   - http: the content of the block `http`; for requests to be noted it has `access_log access.log` and a format.
    ///   - modules: names of modules to load.
    ///   - namespace: whose network it listens in.
    /// - Throws: `Failure` where it does not start.
    package init(_ http: String, modules: [String] = [], in namespace: Namespace? = nil) throws {
        folder = try TemporaryFolder()
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
        let load = modules.map { "load_module /usr/lib/nginx/modules/\($0).so;" }
        // One process: what ends it leaves no other, and its files are read by the user who wrote them.
        let configuration = try folder.write(
            "nginx.conf",
            """
            \(load.joined(separator: "\n"))
            daemon off; master_process off; pid nginx.pid; error_log error.log;
            events { worker_connections 2048; }
            http {
                \(temporary.joined(separator: " "))
                \(http)
            }

            """
        )
        let command = ["nginx", "-p", folder.path, "-e", folder.file("error.log"), "-c", configuration]
        program = try Program((namespace?.prefix ?? []) + command)
        // Written once it listens.
        while (try? Data(contentsOf: URL(filePath: folder.file("nginx.pid"))))?.isEmpty != false {
            guard program.isRunning else { throw Failure(description: "nginx: \(program.errors)\(text("error.log"))") }
            usleep(5000)
        }
    }

    /// The lines of its access log.
    package var requests: [String] { text("access.log").split(separator: "\n").map(String.init) }

    /// Ends it in order; returns its status.
    @discardableResult
    package func stop() -> Int32 {
        program.signal(SIGQUIT)
        return program.wait()
    }

    private func text(_ name: String) -> String {
        (try? String(contentsOfFile: folder.file(name), encoding: .utf8)) ?? ""
    }
}
