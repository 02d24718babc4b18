/// What every connection of a loop is opened with.
package struct TransferSockets: Sendable, Equatable {
    /// TCP_CONGESTION; nil: the system's.
    package var congestionControl: String?
    /// Bytes that may wait in the kernel to be sent (TCP_NOTSENT_LOWAT); nil: as many as its buffer holds.
    package var notSentLowWater: Int32?
    /// A close drops what was not sent yet, instead of sending it.
    package var resetsOnClose = false

    package init(congestionControl: String? = nil) {
        self.congestionControl = congestionControl
    }
}
