/// Which name servers are asked, how often, and for what.
package struct ResolverPlan: Sendable, Equatable {
    /// Between two questions to a server while nothing is wrong.
    package var interval: Duration = .seconds(300)
    /// Whether they are asked on an expensive path, and on a constrained one.
    package var runsOnExpensive = false
    package var runsOnConstrained = false
    /// Whose IPv4 address is asked for; nil: nothing is asked.
    package var name: String?

    package init() {}
}
