import Coordination
public import FoundationEssentials

extension RequestQueue {
    /// Fetches now, or has the request delivered later.
    ///
    /// While the network is there it sends the request at once, beside the queue and its order. Offline, or when no answer comes,
    /// it stores the request, with the same id, and throws ``OfflineError/queued(_:)``; its answer is then in ``deliveries``.
    ///
    /// - Parameters:
    ///   - endpoint: An absolute http or https URL, or one below the base URL.
    ///   - method: `GET` by default.
    ///   - body: nil: none.
    ///   - requestType: For the program: it finds it in ``deliveries`` again.
    ///   - headers: Sent with every try.
    /// - Returns: The body of the answer.
    /// - Throws: An ``OfflineError``; `CancellationError` where the task is cancelled, and then nothing is stored.
    public func fetchWithOfflineSupport(
        endpoint: String,
        method: String = "GET",
        body: Data? = nil,
        requestType: String,
        headers: [String: String] = [:]
    ) async throws -> Data {
        let request = try RetryableRequest(
            endpoint: endpoint,
            method: method,
            body: body,
            timestamp: date(),
            requestType: requestType,
            headers: headers
        )
        .checked(below: baseURL)
        // Before the first value of `online` the try itself shows it.
        if machine.read({ $0.isOnline }) != false, let answer = try await answer(to: request) {
            guard (200..<300).contains(answer.statusCode) else {
                throw OfflineError.statusCode(answer.statusCode, answer.body)
            }
            guard !answer.isTruncated else { throw OfflineError.answerTooLarge }
            return answer.body
        }
        throw OfflineError.queued(try await enqueue(request).id)
    }

    /// Fetches now, or has the request delivered later, and decodes the JSON of the answer.
    public func fetchWithOfflineSupport<T: Decodable>(
        endpoint: String,
        method: String = "GET",
        body: Data? = nil,
        requestType: String,
        headers: [String: String] = [:]
    ) async throws -> T {
        let data: Data = try await fetchWithOfflineSupport(
            endpoint: endpoint,
            method: method,
            body: body,
            requestType: requestType,
            headers: headers
        )
        return try JSONDecoder().decode(T.self, from: data)
    }

    /// nil where no answer came.
    private func answer(to request: RetryableRequest) async throws -> DeliveryResponse? {
        do {
            return try await sender.send(request.sent)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            switch error as? OfflineError {
            // It would not be accepted, either.
            case .forbidden, .invalidRequest: throw error
            default: return nil
            }
        }
    }
}
