import CLab
package import Posix

/// A resolv.conf for the threads of one resolver, as root; no other thread of the process sees it.
package final class ResolverConfiguration: Sendable {
    private let folder: TemporaryFolder
    private let file: String

    /// - Throws: where the file cannot be written.
    package init(_ text: String) throws {
        folder = try TemporaryFolder()
        file = try folder.write("resolv.conf", text)
    }

    /// A resolver that asks the servers of this file; without the privilege to mount it finds nothing.
    package func resolver(maxThreads: Int = 32) -> SystemResolver {
        SystemResolver(maxThreads: maxThreads) { [self] host, family in
            guard nhe_replace_file("/etc/resolv.conf", file) == 0 else { return [] }
            return (try? HostLookup.addresses(of: host, family: family)) ?? []
        }
    }
}
