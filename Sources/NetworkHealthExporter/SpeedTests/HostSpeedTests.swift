import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

/// What speed tests of the host's exporter found: outside input, of which nothing is kept that no exporter writes.
struct HostSpeedTests: Sendable, Equatable {
    /// As this exporter shows it; nil where no test has run.
    let document: SpeedTestDocument?

    /// None.
    init() { document = nil }

    /// nil for text that an exporter did not write.
    init?(_ text: String) {
        guard var document = JSONDocument.decode(SpeedTestDocument.self, from: text), document.last.report.isPlausible
        else { return nil }
        var series: Set<[String]> = []
        // A series of the metrics cannot be there twice.
        document.results = document.results.filter { values in
            values.isPlausible && series.insert([values.last.server, values.label]).inserted
        }
        self.document = document
    }
}

extension SpeedTestResults.Values {
    fileprivate var isPlausible: Bool {
        let times = [lastSuccess, ping?.at] + transfers.values.map(\.at)
        return last.isPlausible && !last.uplink.isEmpty && times.compactMap(\.self).allSatisfy(\.isPlausible)
    }
}

extension SpeedTestReport {
    /// The uplink is written as its label; durations and counts are checked where they are read.
    fileprivate var isPlausible: Bool {
        server.isShort(128) && uplink.isShort(128) && uplink == uplinkLabel && host.isShort(300)
            && (failure?.message.isShort(2000) ?? true) && (link?.isPlausible ?? true)
            && startedAt.isPlausible && [download, upload].compactMap(\.self).allSatisfy(\.isPlausible)
    }
}

extension SpeedTestReport.Link {
    fileprivate var isPlausible: Bool {
        ConnectionType(rawValue: type) != nil && speedMbps.map { (0..<1e9).contains($0) } ?? true
    }
}

extension DirectionReport {
    fileprivate var isPlausible: Bool {
        (0..<1e15).contains(rate.bitsPerSecond) && responsiveness.map { (0..<1e9).contains($0) } ?? true
            && congestionControl?.isShort(32) ?? true && uncertainty.map { (0..<1e6).contains($0) } ?? true
            && otherTraffic.map { (0..<1e15).contains($0.bitsPerSecond) } ?? true
    }
}

extension Date {
    /// Between 1970 and the year 5138.
    fileprivate var isPlausible: Bool { (0..<1e11).contains(timeIntervalSince1970) }
}

extension String {
    /// Whether it has at most so many bytes, and no control character.
    func isShort(_ limit: Int) -> Bool {
        utf8.count <= limit && utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
}
