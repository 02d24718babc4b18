import Foundation
import NetworkHealth
import Testing

struct DocumentationSnippetTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

    @Test(arguments: ["NetworkHealth.md", "FollowingConnectivity.md"])
    func `every line of code in the documentation is compiled`(article: String) throws {
        let package = Self.tests.deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: package.appending(path: "Sources/NetworkHealth/NetworkHealth.docc/\(article)"),
            encoding: .utf8
        )
        let source = try String(
            contentsOf: Self.tests.appending(path: "Support/DocumentationSnippets.swift"),
            encoding: .utf8
        )
        let compiled = Set(source.split(separator: "\n").map { Self.code($0) })
        // Every second piece between the fences is code.
        let blocks = text.components(separatedBy: "```").enumerated().filter { !$0.offset.isMultiple(of: 2) }
        #expect(!blocks.isEmpty)
        for (_, block) in blocks {
            let lines = block.split(separator: "\n").dropFirst()
            #expect(block.hasPrefix("swift\n") && !lines.isEmpty)
            for line in lines { #expect(compiled.contains(Self.code(line)), "not compiled: \(line)") }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `an object of the documented form is called while connected`() async {
        // The shared service watches this machine, so that only the registration itself can be shown here.
        let service = ConnectivityService.shared
        #expect(service.isConnected == (service.connectionType != nil))
        let (called, calls) = AsyncStream<Void>.makeStream()
        let id = service.onConnectivityRestored { calls.yield() }
        if service.isConnected {
            for await _ in called { break }
        }
        service.removeCallback(id)
    }

    private static func code(_ line: Substring) -> String {
        line.trimmingCharacters(in: .whitespaces).replacing("private ", with: "")
    }
}

private func gating() async {
    let result = await NetworkHealth.check(requirement: .largeDownload)
    if !result.passed { print(result.recommendation) }
    let measured = await NetworkHealth.detailedSnapshot(speedTester: MockSpeedTester.goodLTE)
    print(measured.downloadSpeedMbps ?? 0, await NetworkHealth.isGoodEnoughFor(.videoStreaming))
}
