/// One step of a schema, applied once to each file and known there by its name.
///
/// What was released is never changed, renamed or taken away: a later wish is a later migration.
package struct Migration: Sendable {
    let name: String
    let sql: String

    /// A migration.
    ///
    /// - Parameters:
    ///   - name: Unlike that of any other.
    ///   - sql: One or more statements; they run in a transaction already.
    package init(_ name: String, _ sql: String) {
        self.name = name
        self.sql = sql
    }
}
