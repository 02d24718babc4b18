import Posix

/// What is looked up; equal questions share an answer.
struct LookupQuestion: Hashable, Sendable {
    var host: String
    var family: AddressFamily?
}
