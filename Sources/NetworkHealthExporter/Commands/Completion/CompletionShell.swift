import ArgumentParser

/// A shell with completions: its script asks the program itself, by `--complete WORD…`, what may follow.
///
/// ArgumentParser's own scripts know no flag without the word `serve`, and in fish no argument of `check` and `requests`.
enum CompletionShell: String {
    case bash, zsh, fish

    /// The answer to `--complete WORD…` and to `--generate-completion-script SHELL`; nil for other arguments.
    ///
    /// `arguments`: with the program's name.
    static func answer(_ arguments: [String]) -> String? {
        guard arguments.count > 1 else { return nil }
        let flag = "--generate-completion-script"
        switch arguments[1] {
        case "--complete":
            guard let root = CommandDescription.root() else { return nil }
            return Completion(Array(arguments.dropFirst(2)), of: root, standard: Serve._commandName).lines
        case flag:
            return arguments.count == 3 ? CompletionShell(rawValue: arguments[2])?.script : nil
        case let word where word.hasPrefix("\(flag)="):
            return CompletionShell(rawValue: String(word.dropFirst(flag.count + 1)))?.script
        default:
            return nil
        }
    }

    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    /// The words are those between spaces: bash itself also splits at `=` and `:`, and replaces only what follows these.
    private static let bashScript = #"""
        # bash completion for network-health-exporter
        _network_health_exporter() {
            local line=${COMP_LINE:0:COMP_POINT} word help current kept kind
            local -a words
            read -ra words <<<"$line"
            [[ $line == *[[:space:]] ]] && words+=("")
            current=${words[-1]}
            kept=${current%"${current##*[=:]}"}
            COMPREPLY=()
            while IFS=$'\t' read -r word help; do
                case $word in
                    :files | :folders)
                        [[ $word == :files ]] && kind=-f || kind=-d
                        compopt -o filenames 2>/dev/null
                        mapfile -t COMPREPLY < <(compgen "$kind" -- "${current#--*=}")
                        ;;
                    *) COMPREPLY+=("${word#"$kept"}") ;;
                esac
            done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
        }
        complete -F _network_health_exporter network-health-exporter

        """#

    private static let zshScript = #"""
        #compdef network-health-exporter
        _network-health-exporter() {
            local -a lines
            lines=("${(@f)$("${(Q)words[1]}" --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
            case $lines[1] in
                :files | :folders)
                    compset -P '--*='
                    if [[ $lines[1] == :files ]]; then _files; else _files -/; fi
                    ;;
                ?*)
                    lines=("${(@)lines//:/\\:}")
                    lines=("${(@)lines/$'\t'/:}")
                    _describe argument lines
                    ;;
            esac
        }
        if [[ ${funcstack[1]} == _network-health-exporter ]]; then
            _network-health-exporter "$@"
        else
            compdef _network-health-exporter network-health-exporter
        fi

        """#

    private static let fishScript = #"""
        # fish completion for network-health-exporter
        function __network_health_exporter_complete
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l program $words[1]
            set -e words[1]
            set -l kept (string match -r -- '^--[^=]*=' $current)
            or set kept ''
            set -l rest (string replace -r -- '^--[^=]*=' '' $current)
            for line in ($program --complete $words "$current" 2>/dev/null)
                switch $line
                    case ':files'
                        printf '%s\n' $kept(__fish_complete_path "$rest")
                    case ':folders'
                        printf '%s\n' $kept(__fish_complete_directories "$rest" '')
                    case '*'
                        echo $line
                end
            end
        end
        complete -c network-health-exporter -f -a '(__network_health_exporter_complete)'

        """#
}
