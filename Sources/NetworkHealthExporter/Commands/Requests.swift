import ArgumentParser
import FoundationEssentials
import HTTPTransfer
import Posix

/// `requests`: the offline queue of a running exporter.
struct Requests: AsyncParsableCommand {
    enum Verb: String, ExpressibleByArgument, CaseIterable {
        case list, retry, cancel, reset
    }

    static let configuration = CommandConfiguration(
        abstract: "List the requests in the running exporter's queue, or retry, cancel or remove them.",
        discussion: "Exit status: 0 done, 1 refused, or no such request, 3 the exporter does not answer."
    )

    @Argument(help: "list, retry (all, or the request of an ID), cancel ID, or reset (all).")
    var verb = Verb.list

    @Argument(help: "The ID of a request.")
    var id: String?

    @Flag(name: .customLong("json"), help: "Print JSON.")
    var json = false

    @OptionGroup var client: ClientOptions

    @Option(
        help: ArgumentHelp("The file of offline_queue.bearer_token_file.", valueName: "file"),
        completion: .file()
    )
    var bearerTokenFile: String?

    func validate() throws {
        if let id, UUID(uuidString: id) == nil {
            throw ValidationError("expected the ID of a request, found \(JSONText.quoted(id))")
        }
        if verb == .cancel, id == nil { throw ValidationError("cancel: expected the ID of a request") }
        if [.list, .reset].contains(verb), id != nil { throw ValidationError("\(verb.rawValue): expected no ID") }
    }

    func run() async throws {
        let exporter = try usage { try ExporterClient(client, .everything) }
        if bearerTokenFile != nil, exporter.isAuthorized {
            throw ValidationError("--bearer-token-file: expected none beside credentials in --http.config.file")
        }
        let answer = try await exporter.answer(method, path, headers: try headers(), timeout: .seconds(10))
        guard (200..<300).contains(answer.status) else {
            StandardError.write("\(answer.errorText)\n")
            throw ExitCode(1)
        }
        guard verb != .list else { return try StandardOutput.write(list(answer)) }
        // It is done, whether or not that can be written.
        try? StandardOutput.write(json ? RequestsText.document(verb, id) : RequestsText.done(verb, id))
    }

    private func list(_ answer: TransferResponse) throws -> String {
        if json { return answer.text }
        guard let list = RequestsText.list(answer.body) else {
            StandardError.write("the answer is not that of an exporter\n")
            throw ExitCode(3)
        }
        return list
    }

    private var method: TransferRequest.Method {
        switch verb {
        case .list: .get
        case .retry: .post
        case .cancel, .reset: .delete
        }
    }

    private var path: String {
        let path = RequestsView.path + (id.map { "/\($0)" } ?? "")
        return verb == .retry ? path + "/retry" : path
    }

    private func headers() throws -> [(name: String, value: String)] {
        guard let bearerTokenFile else { return [] }
        do throws(SystemError) {
            let token = String(decoding: try SmallFile.read(bearerTokenFile), as: UTF8.self).trimmed
            return [("Authorization", "Bearer \(token)")]
        } catch {
            throw ValidationError("--bearer-token-file: \(error)")
        }
    }
}
