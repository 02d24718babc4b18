/// What a dump gave.
package struct Dump<Element: Sendable>: Sendable {
    package var elements: [Element] = []
    /// False if the tables changed while the kernel walked them, in every try: elements may be missing or double.
    package var isConsistent = true

    package init() {}
}

extension Dump: Equatable where Element: Equatable {}
