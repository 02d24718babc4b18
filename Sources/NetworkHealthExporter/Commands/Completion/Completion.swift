/// What may stand at the end of a command line; pure.
enum Completion: Equatable {
    case words([Word])
    /// Names of files, or of folders, which the shell knows.
    case files, folders

    struct Word: Equatable {
        var text: String
        var help = ""
    }

    /// - Parameters:
    ///   - words: those behind the program's name; the last one is completed.
    ///   - root: its commands; the flags of `standard` are valid without a command.
    ///   - standard: the command that runs where none is named.
    init(_ words: [String], of root: CommandDescription, standard: String) {
        let current = words.last ?? ""
        var before = words.dropLast()
        let commands = root.subcommands ?? []
        let named = before.first.flatMap { word in commands.first { $0.commandName == word } }
        let isFlag = (before.first ?? current).hasPrefix("-")
        guard named?.commandName != "help", named != nil || isFlag else {
            let isPlace = named != nil ? before.count == 1 : before.isEmpty
            let shown = isPlace ? commands.filter { $0.shouldDisplay } : []
            self = .words(shown.map { Word(text: $0.commandName, help: $0.abstract ?? "") }.beginning(with: current))
            return
        }
        if named != nil { before.removeFirst() }
        guard let command = named ?? commands.first(where: { $0.commandName == standard }) else {
            self = .words([])
            return
        }
        self.init(current, behind: Array(before), of: command)
    }

    private init(_ current: String, behind before: [String], of command: CommandDescription) {
        var open: CommandDescription.Argument?
        var used: Set<String> = []
        var operands = 0
        for word in before {
            if open != nil {
                open = nil
            } else if !word.hasPrefix("-") {
                operands += 1
            } else if let argument = command.argument(spelled: String(word.prefix { $0 != "=" })) {
                if !argument.isRepeating { used.formUnion(argument.spellings) }
                if argument.kind == .option, !word.contains("=") { open = argument }
            }
        }
        let name = String(current.prefix { $0 != "=" })
        let positional = command.arguments?.filter { $0.kind == .positional } ?? []
        if let open {
            self.init(valuesOf: open, beginningWith: current)
        } else if name != current, let option = command.argument(spelled: name), option.kind == .option {
            self.init(valuesOf: option, beginningWith: current, prefix: "\(name)=")
        } else if !current.hasPrefix("-"), operands < positional.count {
            self.init(valuesOf: positional[operands], beginningWith: current)
        } else {
            let flags = (command.arguments ?? []).flatMap { argument in
                argument.spellings.map { Word(text: $0, help: argument.abstract ?? "") }
            }
            self = .words(flags.filter { !used.contains($0.text) }.beginning(with: current))
        }
    }

    private init(valuesOf argument: CommandDescription.Argument, beginningWith current: String, prefix: String = "") {
        let values = argument.completionKind
        if values?.file != nil {
            self = .files
        } else if values?.directory != nil {
            self = .folders
        } else {
            self = .words((values?.list?.values ?? []).map { Word(text: prefix + $0) }.beginning(with: current))
        }
    }

    /// A line for each word, with its help behind a tab; the words `:files` and `:folders` stand for what they name.
    var lines: String {
        switch self {
        case .files: ":files\n"
        case .folders: ":folders\n"
        case .words(let words): words.map { "\($0.text)\t\($0.help)\n" }.joined()
        }
    }
}

extension [Completion.Word] {
    fileprivate func beginning(with text: String) -> Self { filter { $0.text.hasPrefix(text) } }
}
