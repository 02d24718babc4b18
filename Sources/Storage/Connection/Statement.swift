import CSQLite

/// A prepared statement.
final class Statement {
    let pointer: OpaquePointer
    let columns: [String]

    /// Takes ownership.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
        columns = (0..<sqlite3_column_count(pointer)).map { index in
            sqlite3_column_name(pointer, index).map { String(cString: $0) } ?? ""
        }
    }

    deinit { sqlite3_finalize(pointer) }

    /// Whether it leaves the file as it is.
    var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

    /// How many values it wants.
    var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

    /// Gives it the value of a parameter, counted from 0.
    func bind(_ value: SQLValue, at index: Int) -> Int32 {
        let number = Int32(clamping: index + 1)
        switch value {
        case .null: return sqlite3_bind_null(pointer, number)
        case .integer(let value): return sqlite3_bind_int64(pointer, number, value)
        case .real(let value): return sqlite3_bind_double(pointer, number, value)
        case .text(var value):
            return value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    nhe_sqlite_bind_text(pointer, number, bytes.baseAddress, UInt64(bytes.count))
                }
            }
        case .blob(let value):
            return value.withUnsafeBytes { bytes in
                nhe_sqlite_bind_blob(pointer, number, bytes.baseAddress, UInt64(bytes.count))
            }
        }
    }

    /// The current row.
    var row: SQLRow {
        SQLRow(columns: columns, values: (0..<Int32(columns.count)).map(value))
    }

    /// Makes it ready for another run.
    func reset() {
        // The code is that of the last step, which was reported already.
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    /// The value of a column of the current row, counted from 0.
    func value(at column: Int32) -> SQLValue {
        switch sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(pointer, column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(pointer, column))
        // Text may hold a zero, and in a damaged file anything. The pointer comes before the length (sqlite3.h).
        case SQLITE_TEXT: .text(String(decoding: bytes(sqlite3_column_text(pointer, column), column), as: UTF8.self))
        case SQLITE_BLOB: .blob([UInt8](bytes(sqlite3_column_blob(pointer, column), column)))
        default: .null
        }
    }

    /// Valid until the next step.
    private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column)))
    }
}
