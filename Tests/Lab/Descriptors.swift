import Glibc

/// Opens descriptors until the next one has a number from `start` on, and returns them.
package func fillDescriptors(below start: Int32) -> [Int32] {
    var open: [Int32] = []
    while true {
        let number = dup(0)
        guard number >= 0, number < start else {
            close(number)
            return open
        }
        open.append(number)
    }
}
