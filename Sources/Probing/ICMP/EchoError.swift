/// What is no message of ours.
enum EchoError: Error, Equatable {
    case truncated, notIPv4, otherType
}
