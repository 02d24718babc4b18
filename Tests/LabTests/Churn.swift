import Lab

/// Another process that makes and deletes veth pairs until it is stopped.
final class Churn {
    private let program: Program

    init(_ namespace: Namespace) throws {
        let turn = "link add c type veth peer name d\naddress add 198.19.0.1/24 dev c\nlink set c up\nlink del c\n"
        program = try Program(
            ["ip", "-n", namespace.name, "-batch", "-"],
            input: String(repeating: turn, count: 100_000)
        )
    }

    func stop() { program.end() }
}
