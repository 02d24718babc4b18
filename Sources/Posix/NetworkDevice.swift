import Glibc

/// if_nametoindex(3), for the network namespace of the calling thread.
package enum NetworkDevice {
    /// The index of the device of that name; nil where there is none.
    package static func index(of name: String) -> UInt32? {
        let index = if_nametoindex(name)
        return index == 0 ? nil : index
    }
}
