import Testing

extension EndToEndTests {
    /// `scripts/demo`.
    @Suite(.timeLimit(.minutes(1))) struct Demo {
        @Test func `it shows the offline queue, and removes what it made`() async throws {
            let outcome = try await run(
                ["\(Repository.root)/scripts/demo", Repository.executable],
                within: .seconds(50)
            )
            try #require(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.output)\(outcome.errors)")
            let id = /[0-9A-F]{8}-[0-9A-F-]{27}/
            let orders = (1...3).map { number in
                let json = #"{"url": "http://198.18.0.1:8080/orders", "body": "item \#(number)"}"#
                return "curl -d '\(json)' http://127.0.0.1:10319/api/v1/requests\n" + #"{"id":"ID"} 202"#
            }
            #expect(
                outcome.output.replacing(id, with: "ID") == #"""

                    == A host with a cable to a server, and an exporter with an offline queue
                    /health: 200 online

                    == The cable is pulled out
                    /health: 503 offline

                    == An application hands over three orders, and goes on
                    \#(orders.joined(separator: "\n"))

                    == The exporter is killed, and started again: network-health-exporter requests
                    3 requests are in the queue:
                      ID  POST http://198.18.0.1:8080/orders waits for its first try. It needs online.
                      ID  POST http://198.18.0.1:8080/orders waits for its first try. It needs online.
                      ID  POST http://198.18.0.1:8080/orders waits for its first try. It needs online.

                    == The cable is put in
                    The server received, with the header that only the exporter's configuration has:
                    POST /orders item 1 Bearer of-the-configuration
                    POST /orders item 2 Bearer of-the-configuration
                    POST /orders item 3 Bearer of-the-configuration

                    == All were delivered, in their order

                    """#
            )
            let namespaces = try await output(of: ["ip", "netns", "list"])
            #expect(!namespaces.contains("nhe-demo"), "\(namespaces)")
        }

        @Test func `without root it says so`() async throws {
            let command = [
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "\(Repository.root)/scripts/demo",
            ]
            let outcome = try await run(command)
            #expect(outcome.status == 1)
            #expect(outcome.errors == "scripts/demo makes network namespaces: run it as root\n")
        }
    }
}
