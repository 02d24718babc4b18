import FoundationEssentials
import Locking
import Posix
import Storage

/// The opening of a queue's file, which blocks and is therefore done on a thread; what needs the file waits for it.
final class QueueOpening: Sendable {
    private let gate = Gate<Result<QueueStore, OfflineError>>()
    private let result = Locked<Result<QueueStore, OfflineError>?>(nil)

    /// Opens a file, or makes it.
    init(path: String, _ prepare: @escaping @Sendable (QueueStore) async throws -> Void) {
        do throws(SystemError) {
            try LoopThread(name: "queue-open") { [self] in
                do throws(StorageError) {
                    let database = try Database(file: path, migrations: QueueStore.migrations)
                    open(database, prepare)
                } catch {
                    end(.failure(.storage(String(describing: error))))
                }
            }
            .detach()
        } catch {
            end(.failure(.storage(String(describing: error))))
        }
    }

    /// Uses a database that is open.
    init(database: Database, _ prepare: @escaping @Sendable (QueueStore) async throws -> Void) {
        open(database, prepare)
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
    private func open(_ database: Database, _ prepare: @escaping @Sendable (QueueStore) async throws -> Void) {
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
