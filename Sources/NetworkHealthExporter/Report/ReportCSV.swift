import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

/// A report as one table: a figure a row, with the number of measurements that it is of (RFC 4180).
struct ReportCSV {
    static let columns = ["section", "name", "at", "value", "unit", "measurements"]

    private var rows: [[String?]] = [columns]

    static func print(_ document: ReportDocument) -> [UInt8] {
        var table = ReportCSV()
        table.add(document.uptime, since: document.since)
        for outage in document.outages + document.uplinkOutages {
            let name = (outage.uplink.map { "\($0), " } ?? "") + "\(outage.cause) \(outage.location)"
            let section = outage.uplink == nil ? "outage" : "standby outage"
            table.add(section, name, outage.seconds, "s", 1, at: outage.startedAt)
        }
        for point in document.speedTests.points {
            let name = "\(point.server) over \(point.uplink)"
            table.add("test", "download, \(name)", point.downloadSpeedMbps, "Mbit/s", 1, at: point.at)
            table.add("test", "upload, \(name)", point.uploadSpeedMbps, "Mbit/s", 1, at: point.at)
        }
        for shortfall in document.speedTests.belowPlan {
            let name =
                "\(shortfall.direction.rawValue), \(shortfall.first.server) over \(shortfall.uplink), \(shortfall.confirmation.rawValue), \(shortfall.location.rawValue)"
            let at = RFC3339.text(shortfall.first.at.timeIntervalSince1970)
            table.add("below plan", name, shortfall.first.rate.megabits, "Mbit/s", 1, at: at)
        }
        for line in document.speedTests.lines {
            table.add("speed", "\(line.direction) over \(line.uplink)", line.series, "Mbit/s")
        }
        let latency = document.latency
        table.add("latency", "latency", latency.median, "s")
        table.add("latency", "latency p95", latency.p95, "s")
        table.add("latency", "loss", latency.lossRatio, "ratio", latency.lossMinutes)
        for point in latency.points {
            table.add("point", "\(point.name), median", point.medianSeconds, "s", point.probes)
            table.add("point", "\(point.name), without an answer", point.lossRatio, "ratio", point.probes)
        }
        return table.rows.flatMap(HistoryCSV.line)
    }

    private mutating func add(
        _ section: String,
        _ name: String,
        _ value: Double?,
        _ unit: String,
        _ measurements: Int? = nil,
        at time: String? = nil
    ) {
        guard let value else { return }
        rows.append([section, name, time, "\(value)", unit, measurements.map { "\($0)" }])
    }

    private mutating func add(_ uptime: ReportDocument.UptimePart, since: String) {
        add("period", "length", uptime.periodSeconds, "s", at: since)
        add("uptime", "monitored", uptime.monitoredSeconds, "s")
        add("uptime", "unobserved", uptime.unobservedSeconds, "s")
        add("uptime", "offline", uptime.offlineSeconds, "s")
        add("uptime", "online", uptime.onlineRatio, "ratio")
        for (cause, seconds) in uptime.offlineSecondsByCause.sorted(by: { $0.key < $1.key }) {
            add("uptime", "offline, \(cause)", seconds, "s")
        }
    }

    private mutating func add(
        _ section: String,
        _ name: String,
        _ series: ReportDocument.SeriesPart,
        _ unit: String
    ) {
        func named(_ part: String) -> String { "\(name), \(part)" }
        add(section, named("median"), series.all?.median, unit, series.all?.measurements)
        add(section, named("tenth"), series.all?.tenth, unit, series.all?.measurements)
        add(section, named("20 to 23 h"), series.evening?.median, unit, series.evening?.measurements)
        add(section, named("other times"), series.otherTimes?.median, unit, series.otherTimes?.measurements)
        for hour in series.byHour {
            let part = "\(ReportClock.padded(hour.hour)) h"
            add(section, named(part), hour.value.median, unit, hour.value.measurements)
        }
        for hour in series.byHourOfWeek {
            let part = "\(hour.weekday) \(ReportClock.padded(hour.hour)) h"
            add(section, named(part), hour.value.median, unit, hour.value.measurements)
        }
    }
}
