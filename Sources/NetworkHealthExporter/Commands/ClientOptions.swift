import ArgumentParser
import HTTPTransfer
import Posix
import Probing
import StrictYAML

/// How `healthcheck`, `check` and `requests` reach the running exporter.
struct ClientOptions: ParsableArguments {
    @Option(
        help:
            "The exporter's address, http or https. (default: the local one, by NHE_WEB_LISTEN_ADDRESS and its relatives)"
    )
    var url: String?

    @Option(
        name: FlagName.tlsCAFile.long,
        help: ArgumentHelp(
            "Certificates of the authorities that the exporter's is verified with. (default: the system's)",
            valueName: "file"
        ),
        completion: .file()
    )
    var caFile: String?

    @Option(
        name: FlagName.httpConfigFile.long,
        help: ArgumentHelp(
            "A YAML file with basic_auth, authorization, tls_config and proxy_url, as promtool takes it.",
            valueName: "file"
        ),
        completion: .file()
    )
    var httpConfigFile: String?
}

/// The HTTP client of the commands: the file of `--http.config.file`, in the form of promtool's.
struct ClientConfiguration: Sendable, Equatable {
    var request = HTTPRequestOptions()
    /// Accepted and ignored: the exporter never redirects, and speaks HTTP/1.1 only.
    private var followsRedirects = true
    private var allowsHTTP2 = true

    init() {}

    /// - Throws: `UsageError` with what is wrong with the file, or with the authorities'.
    init(_ options: ClientOptions, _ environment: Environment) throws(UsageError) {
        if let file = options.httpConfigFile ?? environment.text(.httpConfigFile) {
            do {
                let content = try SmallFile.read(file)
                self = try YAML.read(content.span, file: file, as: Self.type)
            } catch {
                throw UsageError("\(FlagName.httpConfigFile): \(error)")
            }
        }
        guard let file = options.caFile ?? environment.text(.tlsCAFile) else { return }
        let content: [UInt8]
        do throws(SystemError) {
            content = try SmallFile.read(file, limit: 4 << 20)
        } catch {
            throw UsageError("\(FlagName.tlsCAFile): \(error)")
        }
        guard TransferTLS.hasCertificate(content) else {
            throw UsageError("\(FlagName.tlsCAFile)", expected: "a file with a certificate in PEM format", found: file)
        }
        request.tls.caFile = file
    }

    private static var type: YAMLType<ClientConfiguration> {
        .section(
            ClientConfiguration(),
            HTTPRequestOptions.keys.of(\.request) + [
                .key("follow_redirects", \.followsRedirects, .bool), .key("enable_http2", \.allowsHTTP2, .bool),
            ],
            complete: { (_, map) throws(YAMLError) in try HTTPRequestOptions.check(map) }
        )
    }
}
