/// libmicrohttpd's connection, valid while a callback for it runs or while it is suspended.
struct ConnectionHandle: @unchecked Sendable {
    // Sendable by proof: off the event thread it is only handed to MHD_resume_connection, which takes a lock.
    let pointer: OpaquePointer
}
