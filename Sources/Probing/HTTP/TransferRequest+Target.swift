import HTTPTransfer

extension TransferRequest {
    /// The request for one probe: a connection of its own, and no redirect followed.
    init(to target: Target, method: Method, headers: [String: String], options: HTTPRequestOptions) {
        self.init(url: target.address, method: method)
        self.headers = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        if let authorization = options.authorization { setDefault("Authorization", authorization) }
        timeout = target.timeout
        interface = target.interface
        family = target.family
        tls = options.tls
        proxy = options.proxy
        usesFreshConnection = true
    }

    /// Adds a header unless there is one of that name.
    mutating func setDefault(_ name: String, _ value: String) {
        guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return }
        headers.append((name: name, value: value))
    }
}
