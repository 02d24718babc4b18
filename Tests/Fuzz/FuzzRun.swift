import Foundation

/// What a process has read.
struct FuzzRun: CustomStringConvertible {
    let name: String
    let reader: FuzzReader
    private var accepted = 0
    private var refused = 0

    init(name: String, reader: FuzzReader) { (self.name, self.reader) = (name, reader) }

    mutating func count(_ isAccepted: Bool) {
        if isAccepted { accepted += 1 } else { refused += 1 }
    }

    /// Whether both outcomes occurred, without which the inputs test nothing; a few are a replay.
    var isTelling: Bool { accepted + refused < 100 || accepted > 0 && refused > 0 }

    var description: String { "\(name): \(accepted) of \(accepted + refused) inputs accepted" }
}

/// Where a target's inputs are kept.
struct FuzzFolder {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Writes the seeds and the words.
    ///
    /// - Returns: libFuzzer's arguments for them, and the folder of the inputs.
    func write(_ reader: FuzzReader) throws -> (options: [String], corpus: String) {
        let corpus = "\(path)/corpus"
        try FileManager.default.createDirectory(atPath: corpus, withIntermediateDirectories: true)
        for (index, seed) in reader.seeds.enumerated() {
            try Data(seed).write(to: URL(fileURLWithPath: "\(corpus)/seed-\(index)"))
        }
        var options = ["-artifact_prefix=\(path)/finding-", "-max_len=\(reader.maximumLength)"]
        if !reader.words.isEmpty {
            let lines = reader.words.map { word in
                "\"" + word.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\"\n"
            }
            try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: "\(path)/words"))
            options.append("-dict=\(path)/words")
        }
        return (options, corpus)
    }
}
