/// The name servers that this host's programs end up asking.
package struct Resolvers: Sendable, Equatable {
    /// Addresses in the order of asking.
    package var nameservers: [String] = []

    package init(_ nameservers: [String] = []) {
        self.nameservers = nameservers
    }
}
