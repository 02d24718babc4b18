import Testing

@testable import NetworkHealthExporter

struct StartLimitsTests {
    @Test(arguments: [(4, 23), (-1, 20), (1005, 1024), (4096, 1024)])
    func `a machine of many processors needs no more threads than are tried`(processors: Int, threads: Int) {
        #expect(StartLimits.threads(processors: processors) == threads)
    }
}
