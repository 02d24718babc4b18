import Foundation
import Lab
import Probing
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct TargetsFilesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            "exporter.yml",
            "targets: [{ name: own, module: icmp, address: a }]\ntargets_files: [\"d/*.yml\"]\n"
        )
    }

    private var file: String { "\(folder.path)/exporter.yml" }

    private func read() throws -> TargetsSection { try ConfigurationStore(file: file).current.targets }

    private func complaint() throws -> String {
        let error = try #require(throws: YAMLErrors.self) { try read() }
        return error.description.replacing(folder.path, with: "FOLDER")
    }

    @Test func `the targets of all files are one list, by pattern and name`() throws {
        try folder.write("exporter.yml", "targets_files: [\"e/x.yml\", \"d/*.yml\", \"\(folder.path)/d/b.yml\"]\n")
        try folder.write("d/b.yml", "- { name: b, module: icmp, address: x }\n")
        try folder.write(
            "d/a.yml",
            "- { name: a1, module: icmp, address: x }\n- { name: a2, module: icmp, address: x }\n"
        )
        try folder.write("d/empty.yml", "# nothing\n")
        try folder.write("d/other.txt", "no list\n")
        try folder.write("e/x.yml", "- { name: x, module: icmp, address: x }\n")
        let section = try read()
        #expect(section.all.map(\.name) == ["x", "a1", "a2", "b"])
        #expect(section.listed.isEmpty)
        #expect(
            section.files.map(\.path)
                == ["e/x.yml", "d/a.yml", "d/b.yml", "d/empty.yml"].map { "\(folder.path)/\($0)" }
        )
    }

    @Test func `a folder that does not exist holds none`() throws {
        #expect(try read().all.map(\.name) == ["own"])
    }

    @Test func `their targets are printed in comments, so that the output can be read again`() throws {
        try folder.write("d/a.yml", "- { name: a, module: icmp, address: x }\n")
        let section = try read()
        #expect(
            section.yaml.hasSuffix(
                """
                targets_files: ["\(folder.path)/d/*.yml"]
                # "\(folder.path)/d/a.yml"
                #   - name: "a"
                #     module: icmp
                #     address: "x"
                #     interval: 10s
                #     timeout: 2s
                #     ip_family: auto

                """
            )
        )
        try folder.write("other/exporter.yml", section.yaml)
        #expect(try ConfigurationStore(file: "\(folder.path)/other/exporter.yml").current.targets == section)
    }

    @Test func `a name is unique across all files`() throws {
        try folder.write("d/a.yml", "\n- { name: own, module: icmp, address: x }\n")
        #expect(try complaint() == "FOLDER/d/a.yml:2: [0]: the name \"own\" is already taken at FOLDER/exporter.yml:1")
        try folder.write("d/a.yml", "- { name: a, module: icmp, address: x }\n")
        try folder.write(
            "d/b.yml",
            "- { name: b, module: icmp, address: x }\n- { name: a, module: icmp, address: x }\n"
        )
        #expect(try complaint() == "FOLDER/d/b.yml:2: [1]: the name \"a\" is already taken at FOLDER/d/a.yml:1")
    }

    @Test(arguments: [
        ("- { name: a, module: icmp }\n", "1: [0]: the key \"address\" is missing"),
        ("targets: []\n", "1: expected a list, found a mapping"),
        ("- {\n", "2: did not find expected node content while parsing a flow node"),
    ])
    func `an error names the file and the line`(text: String, message: String) throws {
        try folder.write("d/a.yml", text)
        #expect(try complaint() == "FOLDER/d/a.yml:\(message)")
    }

    @Test func `Nothing is filled in there, unless the configuration says so`() throws {
        let text = "\n- { name: a, module: http, address: \"http://a/${NOTHING}?${file:/etc/hostname}\" }\n"
        try folder.write("d/a.yml", text)
        #expect(try read().all.map(\.address).last == "http://a/${NOTHING}?${file:/etc/hostname}")
        try folder.write("exporter.yml", "targets_files: [\"d/*.yml\"]\ntargets_files_expand: true\n")
        #expect(try complaint() == "FOLDER/d/a.yml:2: [0].address: the environment variable NOTHING is not set")
        try folder.write("d/a.yml", "- { name: a, module: icmp, address: \"${NOTHING:-b}\" }\n")
        #expect(try read().all.map(\.address) == ["b"])
    }

    @Test func `what cannot be read is an error`() throws {
        try folder.write("d/a.yml/b", "")
        #expect(try complaint() == "FOLDER/d/a.yml:1: cannot read it: read FOLDER/d/a.yml: Is a directory (errno 21)")
    }

    @Test func `secrets are found beside the file that names them`() throws {
        try folder.write("d/token", "t0ken")
        try folder.write(
            "d/a.yml",
            "- { name: a, module: http, address: \"http://x/\", authorization: { credentials_file: token } }\n"
        )
        let probe = try #require(try read().all.last?.probe as? HTTPProbe)
        #expect(probe.options.authorization == "Bearer t0ken")
    }
}

struct ConfigurationFolderTests {
    @Test(arguments: [
        ("/etc/nhe/exporter.yml", "/etc/nhe/a.yml"), ("/exporter.yml", "/a.yml"), ("exporter.yml", "CWD/a.yml"),
        ("nhe/exporter.yml", "CWD/nhe/a.yml"), (nil, "CWD/a.yml"),
    ])
    func `relative paths start where the file lies`(file: String?, resolved: String) {
        let folder = ConfigurationFolder(of: file)
        #expect(folder.resolve("a.yml").replacing(FileManager.default.currentDirectoryPath, with: "CWD") == resolved)
        #expect(folder.resolve("/a.yml") == "/a.yml")
    }

    @Test func `a folder's name is no pattern`() {
        #expect(ConfigurationFolder(of: "/a[1]/exporter.yml").resolve(pattern: "*.yml") == "/a\\[1]/*.yml")
    }
}
