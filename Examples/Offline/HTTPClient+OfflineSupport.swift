import Foundation
import Networking
import OfflineQueue

extension HTTPClient {
    /// Fetches now; where no answer comes, the queue delivers the request later, and `OfflineError.queued` has its id.
    func fetchWithOfflineSupport(
        _ endpoint: Endpoint,
        requestType: String,
        queue: RequestQueue
    ) async throws -> Data {
        do {
            return try await request(endpoint)
        } catch let error as URLError where error.code != .cancelled {
            let id = try await queue.cacheRequest(
                endpoint: try endpoint.url(below: baseURL).absoluteString,
                method: endpoint.method.rawValue,
                body: endpoint.body,
                requestType: requestType,
                headers: endpoint.headers
            )
            throw OfflineError.queued(id)
        }
    }
}
