import Glibc

/// Whether a delay follows the hours of the day, as persistent congestion does (Fontugne et al., IMC 2020).
///
/// The medians of half hours, four days at a time: the power at each period, the mean of all of them. The delay follows the day where
/// the period of 24 h has more power than any other.
struct DailyPattern: Sendable, Equatable {
    enum Severity: String, Sendable, CaseIterable, Encodable {
        case none, low, mild, severe

        /// By the amplitude in seconds, from peak to peak.
        init(_ amplitude: Double) {
            self = amplitude > 0.003 ? .severe : amplitude > 0.001 ? .mild : amplitude > 0.0005 ? .low : .none
        }
    }

    private static let slot = 1800.0
    private static let slotsPerDay = 48
    private static let days = 4
    private static let slots = days * slotsPerDay
    /// Of four days so many half hours must be known at least.
    private static let leastSlots = 144
    static let leastSegments = 2

    /// From the lowest to the highest value of the part that repeats each day, in seconds.
    let amplitude: Double
    /// Whether the period of 24 h has more power than any other.
    let isDaily: Bool
    /// nil: what repeats each day is not small, and does not stand out.
    var severity: Severity? {
        let severity = Severity(amplitude)
        return isDaily || severity == .none ? severity : nil
    }
    /// The half hours that are known.
    let measurements: Int
    /// When it is highest, in seconds since the beginning of a day, UTC.
    let peak: Double

    /// nil where fewer than two periods of four days are known well enough.
    ///
    /// - Parameter points: in seconds, of half hours that begin at a time in seconds since 1970.
    init?(_ points: [(at: Double, value: Double)]) {
        var slots: [Int: Double] = [:]
        for point in points where point.at.magnitude < 1e12 && point.value.isFinite {
            slots[Int((point.at / Self.slot).rounded(.down))] = point.value
        }
        guard let first = slots.keys.min(), let last = slots.keys.max() else { return nil }
        var power = [Double](repeating: 0, count: Self.slots / 2 + 1)
        var (cosine, sine, count, known) = (0.0, 0.0, 0, 0)
        // From a midnight on, so that the phases are comparable.
        let begin = Int((Double(first) / Double(Self.slotsPerDay)).rounded(.up)) * Self.slotsPerDay
        for start in stride(from: begin, through: last - Self.slots + 1, by: Self.slots) {
            let segment = (0..<Self.slots).map { slots[start + $0] }
            let values = segment.compactMap(\.self)
            guard values.count >= Self.leastSlots else { continue }
            let mean = values.reduce(0, +) / Double(values.count)
            let changes = segment.map { ($0 ?? mean) - mean }
            for period in 1..<power.count {
                let (real, imaginary) = Self.component(of: changes, period)
                power[period] += real * real + imaginary * imaginary
                guard period == Self.days else { continue }
                (cosine, sine) = (cosine + real, sine + imaginary)
            }
            (count, known) = (count + 1, known + values.count)
        }
        guard count >= Self.leastSegments else { return nil }
        measurements = known
        let daily = power[Self.days]
        isDaily = daily > 0 && power.allSatisfy { $0 <= daily }
        amplitude = 2 * (daily / Double(count)).squareRoot()
        let phase = atan2(sine, cosine) / (2 * .pi)
        peak = (phase < 0 ? phase + 1 : phase) * 86_400
    }

    /// The amplitudes of the cosine and the sine with so many periods in the segment.
    private static func component(of values: [Double], _ periods: Int) -> (Double, Double) {
        var (real, imaginary) = (0.0, 0.0)
        let step = 2 * Double.pi * Double(periods) / Double(values.count)
        for (index, value) in values.enumerated() {
            real += value * cos(step * Double(index))
            imaginary += value * sin(step * Double(index))
        }
        return (real * 2 / Double(values.count), imaginary * 2 / Double(values.count))
    }
}
