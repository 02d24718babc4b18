/// An object that wants to know when the connection comes and goes.
///
/// Conform with a `final class` and call ``setupConnectivityMonitoring()`` once it is ready to be told. Nothing has to be
/// undone: the object is held weakly and forgotten when it is released.
public protocol ConnectivityAware: AnyObject, Sendable {
    /// The connection is there: once after the setup when it already is, then at each return.
    ///
    /// Called on ``ConnectivityService``'s task; must not block.
    func onConnectivityRestored()
    /// The connection is gone.
    ///
    /// Called on ``ConnectivityService``'s task; must not block.
    func onConnectivityLost()
}

extension ConnectivityAware {
    /// Has ``ConnectivityService/shared`` tell this object; a second call does nothing.
    public func setupConnectivityMonitoring() { ConnectivityService.shared.add(self) }
}
