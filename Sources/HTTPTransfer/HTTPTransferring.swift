/// Whoever performs HTTP transfers: the seam between those who want an answer and libcurl.
package protocol HTTPTransferring: Sendable {
    /// Performs one request to its end.
    ///
    /// A status such as 404 is an answer and no error. Cancelling the task ends the transfer at once.
    func perform(_ request: TransferRequest) async throws(TransferError) -> TransferResponse
}
