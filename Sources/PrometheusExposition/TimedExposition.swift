/// Prints what was, as OpenMetrics with times: for `promtool tsdb create-blocks-from openmetrics`.
///
/// It comes in parts, so that a long history needs no memory: a family's header, its lines, the next family's header, and
/// at last the ``end``. Within a family the lines of one series stand together, in ascending time.
public enum TimedExposition {
    /// HELP and TYPE.
    public static func header(of family: MetricFamily) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: 2 * (2 * family.name.utf8.count + 2 * family.help.utf8.count + 32)) { output in
            family.printHeader(as: .openMetrics, to: &output)
        }
        return bytes
    }

    /// One line for each sample.
    public static func lines(_ samples: [TimedSample], of family: MetricFamily) -> [UInt8] {
        // A number takes at most 24 bytes, and so does a time.
        let size = samples.reduce(0) { $0 + family.name.utf8.count + $1.sample.labels.printedSizeLimit + 64 }
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: size) { output in
            for sample in samples {
                output.append(family.name)
                output.append(sample.sample.labels)
                output.append(sample.sample.value, at: sample.milliseconds)
            }
        }
        return bytes
    }

    /// What stands behind the last family.
    public static let end = Array(ExpositionFormat.openMetrics.end.utf8)
}
