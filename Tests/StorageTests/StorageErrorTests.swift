import CSQLite
import Glibc
import Testing

@testable import Storage

@Suite struct StorageErrorTests {
    private func error(_ code: Int32 = 0, _ systemCode: Int32 = 0) -> StorageError {
        StorageError("f", .open, "m", code: code, systemCode: systemCode)
    }

    @Test func `a disk that is full, read-only or failing may be better later`() {
        for code in [ENOSPC, EROFS, EDQUOT, EIO] {
            #expect(error(0, code).mayPass && error(SQLITE_CANTOPEN, code).mayPass, "\(code)")
        }
        #expect(error(SQLITE_FULL).mayPass && error(SQLITE_IOERR | 18 << 8).mayPass)
    }

    @Test func `what only a person can mend does not pass`() {
        for code in [ENOENT, ENOTDIR, EACCES, EISDIR, ELOOP] {
            #expect(!error(0, code).mayPass && !error(SQLITE_CANTOPEN, code).mayPass, "\(code)")
            #expect(!error(SQLITE_IOERR, code).mayPass)
        }
        #expect(!error().mayPass && !error(SQLITE_BUSY).mayPass && !error(SQLITE_CORRUPT).mayPass)
        #expect(!error(SQLITE_CONSTRAINT).mayPass)
    }

    @Test func `an error of a statement says nothing about the file`() {
        #expect(!error(SQLITE_CONSTRAINT).isOfFile && !error(SQLITE_ERROR).isOfFile && !error().isOfFile)
        for code in [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_CORRUPT, SQLITE_BUSY] {
            #expect(error(code).isOfFile, "\(code)")
        }
    }
}
