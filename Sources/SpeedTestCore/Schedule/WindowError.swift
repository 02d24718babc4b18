/// Why a window of the week is refused.
package struct WindowError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was found, and what was expected.
    package var message: String

    package var description: String { message }
}
