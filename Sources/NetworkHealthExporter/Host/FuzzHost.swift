import FoundationEssentials
import NetworkHealth
import Probing
import PrometheusExposition

/// Reads what the host's exporter sends, for the fuzzer: events, a snapshot, and the speed tests; a value that no exporter has traps.
///
/// - Returns: whether anything of it would be adopted.
package func fuzzHostExporter(_ bytes: [UInt8]) -> Bool {
    var parser = ServerSentEventParser()
    let events = parser.take(bytes).filter { $0.kind == .snapshot }.map(\.data)
    let text = String(decoding: bytes, as: UTF8.self)
    let snapshots = (events.map { String(decoding: $0, as: UTF8.self) } + [text])
        .compactMap { JSONDocument.decode(SnapshotDocument.self, from: $0) }
    for snapshot in snapshots {
        guard let latency = NetworkLatency(snapshot) else { continue }
        precondition([latency.latency, latency.jitter].allSatisfy { (.zero ... .seconds(3600)).contains($0 ?? .zero) })
        precondition((0...1).contains(latency.lossRatio ?? 0))
    }
    for snapshot in snapshots {
        guard let uplinks = [UplinkReport](snapshot, now: .now) else { continue }
        for family in UplinkMetrics.info(uplinks) + UplinkMetrics.families(uplinks) {
            precondition(Set(family.samples.map(\.labels)).count == family.samples.count)
        }
    }
    let reports = snapshots.compactMap { HostReport($0, at: Date(timeIntervalSince1970: 1_800_000_000)) }
    precondition(reports.allSatisfy { Set($0.faults?.map(\.pair) ?? []).isSubset(of: Fault.Pair.all) })
    guard let document = HostSpeedTests(text)?.document else { return !reports.isEmpty }
    precondition(document.results.count <= SpeedTestDocument.maxResults)
    for family in SpeedTestMetrics.measured(document.results) {
        precondition(Set(family.samples.map(\.labels)).count == family.samples.count)
    }
    precondition(HostSpeedTests(String(decoding: document.json, as: UTF8.self))?.document?.json == document.json)
    return true
}
