/// One value of a row, or of a statement's parameters.
package enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    /// SQLite keeps a NaN as NULL.
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// The whole number; nil for any other type.
    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, also a whole one; nil for any other type.
    package var real: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .null, .text, .blob: nil
        }
    }

    /// The text; nil for any other type.
    package var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// The bytes; nil for any other type.
    package var blob: [UInt8]? {
        if case .blob(let value) = self { value } else { nil }
    }
}

/// The row that a statement has reached, read where it is: only inside the closure that gets it.
package struct SQLCursor {
    let statement: Statement

    var row: SQLRow { statement.row }

    /// The value of a column, counted from 0; null where there is none.
    package subscript(_ column: Int) -> SQLValue {
        statement.columns.indices.contains(column) ? statement.value(at: Int32(column)) : .null
    }
}

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
