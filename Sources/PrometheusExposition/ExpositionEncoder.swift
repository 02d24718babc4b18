/// Prints metric families into one buffer that keeps its memory from scrape to scrape.
public struct ExpositionEncoder: Sendable {
    private var bytes: [UInt8] = []

    /// An encoder with an empty buffer.
    public init() {}

    /// Encodes the families in order, with the end of the format.
    ///
    /// The memory of the previous result is reused if the caller has released it.
    public mutating func encode(_ families: some Sequence<MetricFamily>, as format: ExpositionFormat) -> [UInt8] {
        print(families, as: format)
        bytes.append(contentsOf: format.end.utf8)
        return bytes
    }

    /// Encodes a part of an exposition: the families without the end, to be kept and joined with other parts.
    public mutating func encodePart(_ families: some Sequence<MetricFamily>, as format: ExpositionFormat) -> [UInt8] {
        print(families, as: format)
        return bytes
    }

    private mutating func print(_ families: some Sequence<MetricFamily>, as format: ExpositionFormat) {
        bytes.removeAll(keepingCapacity: true)
        for family in families where !family.isEmpty {
            bytes.append(addingCapacity: family.printedSizeLimit) { output in
                family.printHeader(as: format, to: &output)
                let samples = family.samples.span
                for index in samples.indices {
                    output.append(family.name)
                    output.append(samples[index].labels)
                    output.append(samples[index].value)
                }
                for sample in family.histograms {
                    sample.print(named: family.name, to: &output)
                }
            }
        }
    }
}

extension MetricFamily {
    func printHeader(as format: ExpositionFormat, to output: inout OutputSpan<UInt8>) {
        let isOpenMetrics = format == .openMetrics
        let name = isOpenMetrics && type == .counter ? String(name.dropLast("_total".count)) : name
        output.append("# HELP ")
        output.append(name)
        output.append(ascii: " ")
        output.appendEscaped(help, quotes: isOpenMetrics)
        output.append("\n# TYPE ")
        output.append(name)
        switch type {
        case .gauge: output.append(" gauge\n")
        case .counter: output.append(" counter\n")
        case .histogram: output.append(" histogram\n")
        case .unknown: output.append(isOpenMetrics ? " unknown\n" : " untyped\n")
        }
    }

    /// The maximum size of this family in bytes: an escaped byte may become two, a number takes at most 24.
    fileprivate var printedSizeLimit: Int {
        let line = name.utf8.count + 32
        var size = 2 * (line + help.utf8.count)
        for sample in samples {
            size += line + sample.labels.printedSize
        }
        for sample in histograms {
            // A bucket's line adds `_bucket`, `,le=""` and its bound; `_sum` and `_count` add less.
            size += (sample.histogram.bounds.texts.count + 3) * (line + 48 + sample.labels.printedSize)
        }
        return size
    }
}

extension Labels {
    /// With the braces.
    var printedSize: Int { text.count + 2 }
}

extension HistogramSample {
    fileprivate func print(named name: String, to output: inout OutputSpan<UInt8>) {
        var cumulated: UInt64 = 0
        for (bound, count) in zip(histogram.bounds.texts, histogram.counts) {
            cumulated &+= count
            printBucket(of: name, bound: bound, count: cumulated, to: &output)
        }
        printBucket(of: name, bound: "+Inf", count: histogram.count, to: &output)
        output.append(name)
        output.append("_sum")
        output.append(labels)
        output.append(.double(histogram.sum))
        output.append(name)
        output.append("_count")
        output.append(labels)
        output.append(.unsigned(histogram.count))
    }

    private func printBucket(of name: String, bound: String, count: UInt64, to output: inout OutputSpan<UInt8>) {
        output.append(name)
        output.append("_bucket")
        output.append(labels, bound: bound)
        output.append(.unsigned(count))
    }
}

/// Prints samples of the past, as OpenMetrics with timestamps: for `promtool tsdb create-blocks-from openmetrics`.
///
/// In parts, so that a long history needs little memory: a family's header, its lines, the next family's header, and at
/// last the ``end``. Within a family the lines of one series are together, in ascending time.
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
        // A number takes at most 24 bytes, and so does a timestamp.
        let size = samples.reduce(0) { $0 + family.name.utf8.count + $1.sample.labels.printedSize + 64 }
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

    /// The bytes after the last family.
    public static let end = Array(ExpositionFormat.openMetrics.end.utf8)
}
