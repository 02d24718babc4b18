import Foundation

/// The pages of `Fixtures/clients` on a loopback port, and Chromium that opens one of them.
struct Browser {
    private let server: Program
    private let prefix: [String]
    /// The port of the pages.
    let port: Int

    /// Serves the pages; `namespace` is where they and Chromium run.
    init(in namespace: Namespace? = nil) async throws {
        prefix = namespace?.prefix ?? []
        let server = try Program(prefix + ["python3", "\(Repository.tests)/Fixtures/clients/pages.py"])
        port = try await poll("the port of the pages") {
            guard server.isRunning else { throw Failure(description: "the pages: \(server.errors)") }
            return server.output.wholeLines.first.flatMap { Int($0) }
        }
        self.server = server
    }

    /// Opens a page and returns the object that it posts.
    ///
    /// - Parameters:
    ///   - page: the name of the file.
    ///   - host: the host of the page; names below `test` are loopback.
    ///   - address: of the speed-test server, as the page expects it.
    /// - Returns: what the page posts.
    /// - Throws: where Chromium ends, or the page posts nothing.
    func result(of page: String, at host: String = "127.0.0.1", server address: String) async throws -> [String: Any] {
        let folder = try TemporaryFolder()
        let before = server.output.wholeLines.count
        let options = [
            "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-proxy-server",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--user-data-dir=\(folder.path)", "--host-resolver-rules=MAP *.test 127.0.0.1",
            // With a window it always has a language.
            "--accept-lang=en-US",
            // Without it the program ends when the page is loaded.
            "--remote-debugging-port=0",
        ]
        let url = "http://\(host):\(port)/\(page)?server=\(address)"
        // The command of this name is a shell script, whose end would leave the browser running.
        let browser = try Program(prefix + ["/usr/lib/chromium/chromium-headless-shell"] + options + [url])
        let text = try await poll("the result of \(page)", within: .seconds(90)) {
            guard browser.isRunning else { throw Failure(description: "Chromium: \(browser.errors)") }
            let lines = server.output.wholeLines
            return lines.count > before ? lines[before] : nil
        }
        // Its other processes end with it.
        browser.signal(SIGTERM)
        _ = try await browser.status()
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        guard let object = object as? [String: Any] else { throw Failure(description: String(text)) }
        return object
    }
}
