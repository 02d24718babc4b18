import MicroHTTP
import Posix
import StrictYAML

/// The file as it was read, with the certificates that it names.
struct LoadedWebConfiguration: Sendable {
    let configuration: WebConfiguration
    /// nil: without TLS.
    let context: TLSContext?

    /// Why there is nothing to load.
    enum Failure: Error, CustomStringConvertible {
        /// The file itself: neither users nor headers are known.
        case configuration(String)
        /// A file with certificates, or a text of them; the users and headers of the file count nevertheless.
        case certificates(String, WebConfiguration? = nil)

        var description: String {
            switch self {
            case .configuration(let text), .certificates(let text, _): text
            }
        }
    }

    /// Reads the file, and the files that it names.
    ///
    /// - Parameters:
    ///   - file: its path.
    ///   - last: whose certificates are not parsed again if they are the same.
    ///   - files: receives the files that were read or missed.
    /// - Throws: what is wrong, and whether with the file itself.
    init(
        _ file: String,
        after last: LoadedWebConfiguration? = nil,
        files: inout [String]
    ) throws(Failure) {
        files = [file]
        let document: YAMLDocument
        do {
            (configuration, document) = try WebConfiguration.parse(SmallFile.read(file, limit: 1 << 20), file: file)
        } catch {
            throw .configuration("\(error)")
        }
        guard configuration.tls.isEnabled else {
            context = nil
            return
        }
        files += configuration.tls.files
        do throws(YAMLError) {
            let settings = try configuration.tls.settings(at: document.root["tls_server_config"])
            if let context = last?.context, context.settings == settings {
                self.context = context
            } else {
                context = try configuration.tls.context(settings, at: document.root["tls_server_config"])
            }
        } catch {
            throw .certificates("\(error)", configuration)
        }
    }
}

extension TLSServerSection {
    /// The settings of handshakes, with the content of the files.
    func settings(at section: YAMLCursor?) throws(YAMLError) -> TLSSettings {
        var settings = TLSSettings(
            certificate: try read(certificate, "cert", at: section),
            key: try read(key, "key", at: section)
        )
        settings.clientCertificate = clientAuth?.setting ?? .none
        settings.allowedClientNames = allowedNames
        settings.versions = minimum.setting...maximum.setting
        settings.prefersOwnOrder = prefersOwnOrder
        if clientAuthorities.isSet {
            settings.clientAuthorities = try read(clientAuthorities, "client_ca", at: section)
        }
        return settings
    }

    /// The settings, loaded; the error is about the key that a wrong one is from.
    func context(_ settings: TLSSettings, at section: YAMLCursor?) throws(YAMLError) -> TLSContext {
        do throws(TLSError) {
            return try TLSContext(settings)
        } catch {
            let (source, name): (Source, String) =
                switch error.subject {
                case .certificate: (certificate, "cert")
                case .key: (key, "key")
                case .clientAuthorities: (clientAuthorities, "client_ca")
                case .versions: (Source(), "min_version")
                }
            throw Self.error(error.description, Self.key(of: source, name), at: section)
        }
    }

    private func read(_ source: Source, _ name: String, at section: YAMLCursor?) throws(YAMLError) -> [UInt8] {
        guard let file = source.file else { return Array((source.text ?? "").utf8) }
        do throws(SystemError) {
            return try SmallFile.read(file, limit: 4 << 20)
        } catch {
            throw Self.error("cannot read it: \(error)", Self.key(of: source, name), at: section)
        }
    }

    private static func key(of source: Source, _ name: String) -> String {
        source.file == nil ? name : "\(name)_file"
    }

    private static func error(_ message: String, _ key: String, at section: YAMLCursor?) -> YAMLError {
        section?[key]?.error(message) ?? section?.error("\(key): \(message)")
            ?? YAMLError(file: "", line: 1, message: message)
    }
}
