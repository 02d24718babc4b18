import CBuildInfo

/// What this binary is: the one place for the version.
///
/// `scripts/build` gives revision and branch.
enum Version {
    static let name = "network-health-exporter"
    static let number = "0.1.0"
    /// The commit, with `-dirty` where files differ from it; `unknown` outside git and for a build without `scripts/build`.
    static let revision = String(cString: nhe_build_revision())
    /// The branch or tag; `HEAD` for a commit with neither.
    static let branch = String(cString: nhe_build_branch())

    #if compiler(>=6.4)
        static let swift = "6.4"
    #elseif compiler(>=6.3)
        static let swift = "6.3"
    #else
        static let swift = "6.2"
    #endif

    static let os = "linux"

    #if arch(x86_64)
        static let architecture = "amd64"
    #elseif arch(arm64)
        static let architecture = "arm64"
    #elseif arch(arm)
        static let architecture = "arm"
    #else
        static let architecture = "unknown"
    #endif

    /// What our HTTP requests call themselves.
    static let userAgent = "\(name)/\(number)"

    /// What `--version` prints; the first line as the Prometheus programs have it.
    static let text = """
        \(name), version \(number) (branch: \(branch), revision: \(revision))
          swift version:    \(swift)
          platform:         \(os)/\(architecture)
        """
}
