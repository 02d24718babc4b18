/// Outside text in quotes, on one line, cut to 60 characters.
func quoted(_ text: some StringProtocol) -> String {
    shortened(text).debugDescription
}

/// A key in quotes, cut where its value may begin: `{ url:http://h/ }` has a key without a value.
package func quotedKey(_ key: String) -> String {
    let name = key.prefix { !":/=@".contains($0) }
    return quoted(name.endIndex < key.endIndex ? "\(shortened(name))…" : key)
}

/// Outside text, cut to 60 characters.
func shortened(_ text: some StringProtocol) -> String {
    let limit = 60
    let start = text.unicodeScalars.prefix(limit)
    return String(String.UnicodeScalarView(start)) + (start.endIndex < text.endIndex ? "…" : "")
}

/// `a`, `a or b`, `a, b or c`.
func alternatives(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "nothing" }
    return names.dropLast().joined(separator: ", ") + " or " + last
}

/// The candidate that differs from a mistyped word by at most two keystrokes (one in a short word).
package func closest<Candidates: Sequence<String>>(to word: String, among candidates: Candidates) -> String? {
    let longestWord = 64
    guard word.utf8.count <= longestWord else { return nil }
    let tolerance = word.utf8.count <= 4 ? 1 : 2
    let similar = candidates.lazy.filter { abs($0.utf8.count - word.utf8.count) <= tolerance }
    let near = similar.map { (candidate: $0, distance: editDistance($0.lowercased(), word.lowercased())) }
    let best = near.min { $0.distance < $1.distance }
    guard let best, best.distance <= tolerance else { return nil }
    return best.candidate
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words.
private func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
        var current = [row + 1]
        for column in right.indices {
            let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
            var cost = min(replaced, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                cost = min(cost, beforeLast[column - 1] + 1)
            }
            current.append(cost)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}
