package import Statistics

/// What a configured name server has answered on this path; a value, made by its questions.
package struct ResolverReport: Sendable, Equatable {
    /// As it is configured: a link-local address with its zone.
    package let address: String
    /// The last questions: how long the answer took, whatever it was, or nil for none.
    package var window = OutcomeWindow(capacity: 100)
    /// Whether the answer to the last question was without an error; nil: none has ended yet.
    package var isUp: Bool?
    /// How long the answer to the last question took; nil: there was none.
    package var duration: Duration?

    package init(address: String) { self.address = address }
}
