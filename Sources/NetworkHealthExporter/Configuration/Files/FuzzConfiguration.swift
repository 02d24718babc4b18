import StrictYAML

/// Reads a configuration file, for the fuzzer; one that is printed and read otherwise, or an error without a place, traps.
///
/// A relative path leads nowhere; files of targets are not read.
///
/// - Returns: whether it was accepted.
package func fuzzConfiguration(_ bytes: [UInt8]) -> Bool {
    // A pattern could match any file of this machine.
    guard bytes.firstRange(of: "targets_files".utf8) == nil || !bytes.contains(UInt8(ascii: "/")) else { return false }
    do throws(YAMLErrors) {
        // A webhook's URL is never printed.
        let (masked, plain) = ("url: \"<secret>\"", "url: \"http://secret/\"")
        let text = try readForFuzzer(bytes).yaml.replacing(masked, with: plain)
        precondition((try? readForFuzzer(Array(text.utf8)))?.yaml.replacing(masked, with: plain) == text)
        return true
    } catch {
        checkErrors(error, of: bytes)
        return false
    }
}

/// Reads a file of `--web.config.file` with its certificates, as far as they are in it, for the fuzzer.
///
/// - Returns: whether it was accepted.
package func fuzzWebConfiguration(_ bytes: [UInt8]) -> Bool {
    do throws(YAMLErrors) {
        let (configuration, document) = try WebConfiguration.parse(bytes, file: "f")
        let tls = configuration.tls
        guard tls.isEnabled, tls.files.isEmpty else { return true }
        let section = document.root["tls_server_config"]
        guard let settings = try? tls.settings(at: section) else { return false }
        return (try? tls.context(settings, at: section)) != nil
    } catch {
        checkErrors(error, of: bytes)
        return false
    }
}

private func readForFuzzer(_ bytes: [UInt8]) throws(YAMLErrors) -> Configuration {
    try Configuration.read(bytes, file: "/nonexistent/f", environment: [:])
}

private func checkErrors(_ errors: YAMLErrors, of bytes: [UInt8]) {
    precondition((1...YAMLErrors.limit).contains(errors.errors.count))
    for error in errors.errors {
        precondition((1...bytes.count + 1).contains(error.line) && !error.message.isEmpty)
    }
}
