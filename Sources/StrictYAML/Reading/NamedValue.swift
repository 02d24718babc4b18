/// One entry of a mapping whose keys the user chooses, such as a header or a label.
package struct NamedValue<Value> {
    package var name: String
    package var value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }
}

extension NamedValue: Equatable where Value: Equatable {}
extension NamedValue: Sendable where Value: Sendable {}
