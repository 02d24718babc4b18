import ArgumentParser
import OfflineQueue
import Storage

/// `history`: the whole history as one file, for a backup, and for a move to a new machine.
struct HistoryFile: ParsableCommand {
    enum Verb: String, ExpressibleByArgument, CaseIterable {
        case export, `import`
    }

    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Write the whole history to one file while the exporter runs, or begin with that of such a file.",
        discussion:
            "import needs a storage file that is missing or empty, and no running exporter. Exit status: 0 done, 1 not done."
    )

    @Argument(help: "export or import.")
    var verb: Verb

    @Argument(help: "The file that is written, which must not exist yet, or read.", completion: .file())
    var file: String

    @OptionGroup var storage: StorageOptions

    func run() throws {
        guard let path = storage.path ?? Environment.process.text(.storagePath) else {
            throw ValidationError("expected \(FlagName.storagePath)")
        }
        do throws(StorageError) {
            switch verb {
            // A request of a backup would be sent again; the file to import may be a plain copy, or of someone else.
            case .export: try DatabaseCopy.export(path, to: file, emptied: RequestQueue.tables)
            case .import:
                try DatabaseCopy.import(file, to: path, emptied: RequestQueue.tables, schema: .exporter)
            }
        } catch {
            StandardError.write("\(error)\n")
            throw ExitCode(1)
        }
    }
}
