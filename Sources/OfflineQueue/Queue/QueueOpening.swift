import Coordination
import FoundationEssentials
import Posix
import Storage

/// The opening of a queue's file, which blocks and is therefore done on a thread; what needs the file waits for it.
final class QueueOpening: Sendable {
    private let gate = Gate<Result<QueueStore, OfflineError>>()
    private let result = Locked<Result<QueueStore, OfflineError>?>(nil)

    /// Where the tables are.
    enum Place: Sendable {
        /// A file of their own, which is made where there is none.
        case file(String)
        /// A database that is open and has other tables too.
        case database(Database)
    }

    /// Opens the tables, and has `prepare` read them.
    init(_ place: Place, _ prepare: @escaping @Sendable (QueueStore) async throws -> Void) {
        switch place {
        case .database(let database): read(database, prepare)
        case .file(let path):
            do throws(SystemError) {
                try LoopThread(name: "queue-open") { [self] in
                    do throws(StorageError) {
                        read(try Database(file: path, schema: RequestQueue.schema), prepare)
                    } catch {
                        end(.failure(.storage(String(describing: error))))
                    }
                }
                .detach()
            } catch {
                end(.failure(.storage(String(describing: error))))
            }
        }
    }

    /// Whether what is stored has been read.
    var isOpen: Bool { result.withLock { if case .success = $0 { true } else { false } } }

    /// Why the file cannot be used; nil while it can, or while it is being opened.
    var failure: OfflineError? {
        switch result.withLock({ $0 }) {
        case nil: nil
        case .failure(let error): error
        case .success(let store): store.database.failure.map { .storage(String(describing: $0)) }
        }
    }

    /// The store, as soon as it is open.
    func store() async throws(OfflineError) -> QueueStore { try await gate.wait().get() }

    /// Reads what is stored; the task ends by itself.
    private func read(_ database: Database, _ prepare: @escaping @Sendable (QueueStore) async throws -> Void) {
        Task { [self] in
            let store = QueueStore(database: database)
            do {
                try await prepare(store)
                end(.success(store))
            } catch {
                end(.failure(.storage(String(describing: error))))
            }
        }
    }

    private func end(_ outcome: Result<QueueStore, OfflineError>) {
        result.withLock { $0 = outcome }
        gate.open(with: outcome)
    }
}
