import Lab
import NetworkPath
import Testing

@testable import NetworkHealthExporter

struct ExpensiveFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [("0", false), ("1", true), (" 1\n", true), ("0\r\n", false)])
    func `says whether the path costs money`(text: String, isExpensive: Bool) throws {
        let file = ExpensiveFile(path: try folder.write("expensive", text))
        #expect(file.read() == .verdict(isExpensive))
        #expect(file.verdict == isExpensive)
    }

    @Test(arguments: ["", "2", "true", "01", "1 0", "\u{0}", String(repeating: "1", count: 5000)])
    func `any other content is no opinion`(text: String) throws {
        #expect(ExpensiveFile(path: try folder.write("expensive", text)).verdict == nil)
    }

    @Test func `nor is a missing file, and the reason is given`() throws {
        let path = "\(folder.path)/expensive"
        #expect(
            ExpensiveFile(path: path).read() == .unusable("open \(path): No such file or directory (errno 2)")
        )
        try folder.write("expensive", "yes")
        #expect(ExpensiveFile(path: path).read() == .unusable("\(path): expected 0 or 1"))
    }

    @Test func `its content reaches the path monitor's policy`() throws {
        try folder.write("expensive", "1")
        let file = try folder.write("exporter.yml", "path: { expensive_file: expensive }\n")
        let configuration = try ConfigurationStore(file: file).current
        #expect(configuration.path.expensiveFile == "\(folder.path)/expensive")
        #expect(configuration.pathConfiguration(PathSettings()).policy.fileVerdict == true)
        try folder.write("expensive", "?")
        #expect(configuration.pathConfiguration(PathSettings()).policy.fileVerdict == nil)
    }
}
