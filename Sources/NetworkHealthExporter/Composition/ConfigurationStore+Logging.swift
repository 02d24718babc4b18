import Logging

extension ConfigurationStore {
    /// Reads the configuration again, as `reload` does it, and logs how that went.
    func reload(
        because reason: String,
        _ logger: Logger,
        _ reload: (ConfigurationStore) -> () throws -> Void = ConfigurationStore.reload
    ) {
        do {
            try reload(self)()
            logger.info("Configuration reloaded", metadata: ["reason": "\(reason)"])
        } catch {
            logger.error("Configuration refused, the old one stays: \(error)", metadata: ["reason": "\(reason)"])
        }
    }
}
