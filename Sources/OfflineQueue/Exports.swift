// Requests and answers contain its types, so that `import OfflineQueue` alone is enough to use the queue.
@_exported public import FoundationEssentials
