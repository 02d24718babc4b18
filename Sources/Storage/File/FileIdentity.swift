import Glibc

/// Which file a name leads to; another one of the same name differs for as long as the first is open somewhere.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// nil where there is no such name, or where it cannot be looked at.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
