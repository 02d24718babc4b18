import FoundationEssentials
import NetworkHealth
import NetworkPath
import Posix
import Probing
import StrictYAML

/// The configuration file as a value, one section for each key.
struct Configuration: Sendable, Equatable {
    var path = PathSection()
    var host = HostSection()
    var internet = InternetSection()
    var gateway = GatewaySection()
    var hops = HopsSection()
    var uplinks: [UplinkRule] = []
    var stun = StunSection()
    var targets = TargetsSection()
    var speedTest = SpeedTestSection()
    var plan = PlanSection()
    var requirements = RequirementsSection()
    var speedTestServer = SpeedTestServerSection()
    var offlineQueue = OfflineQueueSection()
    var webhooks: [Webhook] = []
    var history = HistorySection()

    /// The whole file.
    static var type: YAMLType<Configuration> {
        .section(
            Configuration(),
            [
                .section("path", \.path, PathSection.keys),
                .section("host", \.host, HostSection.keys, complete: HostSection.complete),
                .section("internet", \.internet, InternetSection.keys, complete: InternetSection.complete),
                .section("gateway", \.gateway, GatewaySection.keys),
                .section("hops", \.hops, HopsSection.keys),
                .key("uplinks", \.uplinks, UplinkRule.list),
                .section("stun", \.stun, StunSection.keys),
                .section("speedtest", \.speedTest, SpeedTestSection.keys, complete: SpeedTestSection.complete),
                .section("plan", \.plan, PlanSection.keys),
            ] + TargetsSection.keys.of(\.targets) + RequirementsSection.keys.of(\.requirements) + [
                .section("speedtest_server", \.speedTestServer, SpeedTestServerSection.keys),
                .section("offline_queue", \.offlineQueue, OfflineQueueSection.keys),
                .key("webhooks", \.webhooks, .list(of: Webhook.type)),
                .section("history", \.history, HistorySection.keys),
            ]
        )
    }

    /// Parses the configuration file, then reads and parses the files of its `targets_files`.
    ///
    /// - Parameters:
    ///   - sources: names the file, and receives those of `targets_files`.
    ///   - environment: for `${NAME}` in values.
    ///   - override: sets what the command line decides, before rules between keys are checked.
    /// - Returns: What is in force; without a file the defaults.
    /// - Throws: `SystemError` for a file that could not be read; `YAMLErrors`, which name the file, the line, the key and
    ///   what was expected.
    static func read(
        _ sources: inout ConfigurationSources,
        environment: [String: String] = Environment.process.variables,
        override: (inout Configuration) -> Void = { _ in }
    ) throws -> Configuration {
        if let file = sources.main {
            return try read(file.content.get(), file: file.path, &sources, environment, override)
        }
        var configuration = Configuration()
        override(&configuration)
        configuration.speedTest.enableByServers()
        return configuration
    }

    /// Reads a file's bytes, and the files that it names.
    static func read(
        _ content: [UInt8],
        file: String,
        environment: [String: String] = Environment.process.variables
    ) throws(YAMLErrors) -> Configuration {
        var sources = ConfigurationSources()
        return try read(content, file: file, &sources, environment) { _ in }
    }

    private static func read(
        _ content: [UInt8],
        file: String,
        _ sources: inout ConfigurationSources,
        _ environment: [String: String],
        _ override: (inout Configuration) -> Void
    ) throws(YAMLErrors) -> Configuration {
        let expander = Expander(environment: environment, readFile: Self.readSecret)
        let document = try YAMLDocument(content.span, file: file, expander: expander)
        var configuration = try document.read(as: type)
        override(&configuration)
        var errors = configuration.speedTest.completeEnabled(at: document.root["speedtest"]?["enabled"])
        var targets = TargetList()
        try targets.add(configuration.targets.listed, at: document.root["targets"])
        sources.patterns = configuration.targets.patterns
        sources.readTargetsFiles()
        let fileExpander = configuration.targets.expandsFiles ? expander : nil
        for file in sources.targetsFiles {
            do throws(YAMLErrors) {
                configuration.targets.files.append(try targets.add(file, expander: fileExpander))
            } catch {
                errors += error.errors
            }
        }
        // A file of targets may appear later; until then a requirement that names its targets fails.
        if sources.patterns.isEmpty { errors += configuration.unknownTargets(in: document.root) }
        errors += configuration.unknownUplinks(in: document.root) + configuration.unansweredUplinks(in: document.root)
        errors += configuration.unknownRequirements(in: document.root)
        guard errors.isEmpty else { throw YAMLErrors(errors) }
        return configuration
    }

    /// An error for each target that a requirement names and that is not configured.
    private func unknownTargets(in root: YAMLCursor) -> [YAMLError] {
        let names = Set(allTargets.map(\.name))
        return requirements.own.flatMap { requirement in
            requirement.targets.enumerated().filter { !names.contains($0.element) }.compactMap { index, name in
                root["requirements"]?[requirement.name]?["targets"]?[index]?
                    .error("there is no target \(JSONText.quoted(name))")
            }
        }
    }

    /// An error for each uplink that a requirement names and that has no name in `uplinks`: a device may come later, or never.
    ///
    /// Those of a host are known when its exporter answers.
    private func unknownUplinks(in root: YAMLCursor) -> [YAMLError] {
        guard host.url == nil else { return [] }
        return requirements.own.compactMap { requirement in
            guard let name = requirement.uplink, !uplinks.contains(where: { $0.name == name }) else { return nil }
            return root["requirements"]?[requirement.name]?["uplink"]?
                .error("there is no uplink \(JSONText.quoted(name)) in uplinks")
        }
    }

    /// An error for each uplink that is matched by its public address while no STUN server is configured.
    private func unansweredUplinks(in root: YAMLCursor) -> [YAMLError] {
        guard stun.servers.isEmpty else { return [] }
        return uplinks.enumerated().filter { $0.element.match.publicAddress != nil }.compactMap { index, _ in
            root["uplinks"]?[index]?["match"]?["public_address"]?
                .error("expected servers in stun, which are asked for the public address")
        }
    }

    /// An error for each requirement that a webhook waits for and that does not exist.
    private func unknownRequirements(in root: YAMLCursor) -> [YAMLError] {
        let names = requirements.names
        return webhooks.enumerated().compactMap { index, webhook in
            guard let name = webhook.requirement, !names.contains(name) else { return nil }
            return root["webhooks"]?[index]?["when"]?.error("there is no requirement \(JSONText.quoted(name))")
        }
    }

    /// The configuration of the path monitor.
    ///
    /// Reads the file of `path.expensive_file`.
    func pathConfiguration(_ settings: PathSettings) -> PathConfiguration {
        var configuration = PathConfiguration()
        configuration.policy = path.policy
        configuration.policy.flags = settings.flags
        configuration.policy.uplinkCosts = uplinks.compactMap(\.pathCost)
        configuration.policy.fileVerdict = path.expensiveFile.flatMap { ExpensiveFile(path: $0).verdict }
        let addresses = internet.configuration.literals.map(\.ip)
        configuration.policy.probed = HopConfiguration.destinations(among: addresses)
        configuration.timings = path.timings
        configuration.sysfsRoot = settings.roots.sysfs
        return configuration
    }

    /// The effective configuration, defaults included and secrets masked, in the form it is read in.
    var yaml: String { (Self.type.write(self)?.document ?? "") + targets.comments }

    private static func readSecret(_ file: String) throws(SystemError) -> String {
        String(decoding: try SmallFile.read(file), as: UTF8.self)
    }
}
