import ArgumentParser
import FoundationEssentials

/// A command with its arguments, as ArgumentParser describes it.
struct CommandDescription: Decodable {
    struct Argument: Decodable {
        enum Kind: String, Decodable {
            case positional, option, flag
        }

        struct Name: Decodable {
            /// `long` or `short`; any other kind is not completed.
            var kind: String
            var name: String
        }

        /// How a value is completed: by its list, or by what is in the file system.
        struct Values: Decodable {
            struct List: Decodable {
                var values: [String]
            }

            struct Present: Decodable {}

            var list: List?
            var file: Present?
            var directory: Present?
        }

        var kind: Kind
        var isRepeating: Bool
        var names: [Name]?
        var abstract: String?
        var completionKind: Values?

        /// With their dashes: `--help`, `-h`.
        var spellings: [String] {
            (names ?? []).compactMap { $0.kind == "long" ? "--\($0.name)" : $0.kind == "short" ? "-\($0.name)" : nil }
        }
    }

    var commandName: String
    var abstract: String?
    var shouldDisplay: Bool
    var subcommands: [CommandDescription]?
    var arguments: [Argument]?

    /// That of this program.
    static func root() -> CommandDescription? {
        struct Document: Decodable {
            var command: CommandDescription
        }
        let text = NetworkHealthExporter._dumpHelp()
        return (try? JSONDecoder().decode(Document.self, from: Data(text.utf8)))?.command
    }

    func argument(spelled spelling: String) -> Argument? {
        arguments?.first { $0.spellings.contains(spelling) }
    }
}
