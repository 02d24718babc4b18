/// One row of a result.
package struct SQLRow: Sendable, Equatable {
    let columns: [String]
    let values: [SQLValue]

    /// The value of the first column of that name; null where there is none.
    package subscript(_ column: String) -> SQLValue {
        columns.firstIndex(of: column).map { values[$0] } ?? .null
    }

    /// The value of a column, counted from 0; null where there is none.
    package subscript(_ column: Int) -> SQLValue {
        values.indices.contains(column) ? values[column] : .null
    }
}
