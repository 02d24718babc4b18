import Glibc

/// Opens descriptors until the next ones have numbers from `start` on, and returns them.
///
/// Swift's runtime opens a file for a moment now and then: the place that it leaves is filled, too.
package func fillDescriptors(below start: Int32) -> [Int32] {
    var open: [Int32] = []
    var above: [Int32] = []
    while above.count < 16 {
        let number = dup(0)
        guard number >= 0 else { break }
        if number < start { open.append(number) } else { above.append(number) }
    }
    for number in above { close(number) }
    return open
}
