/// Finds the row for a request.
struct RouteTable: Sendable {
    enum Outcome {
        case found(Route)
        case notFound
        /// The path is there with other methods, sorted, for `Allow`.
        case notAllowed([Method])
    }

    private var exact: [String: [Route]] = [:]
    /// By folder with its slash, the longest first.
    private var folders: [(folder: String, routes: [Route])] = []

    init(_ routes: [Route]) {
        for route in routes {
            guard route.path.hasSuffix("/*") else {
                exact[route.path, default: []].append(route)
                continue
            }
            let folder = String(route.path.dropLast())
            if let index = folders.firstIndex(where: { $0.folder == folder }) {
                folders[index].routes.append(route)
            } else {
                folders.append((folder, [route]))
            }
        }
        folders.sort { $0.folder.utf8.count > $1.folder.utf8.count }
    }

    /// An exact path goes before a folder, a longer folder before a shorter, then the order of the table.
    func find(_ request: Request) -> Outcome {
        let rows = rows(for: request.path).filter { $0.when?(request) ?? true }
        guard !rows.isEmpty else { return .notFound }
        if let route = rows.first(where: { $0.method == request.method }) { return .found(route) }
        if request.method == .head, let route = rows.first(where: { $0.method == .get }) { return .found(route) }
        var methods = Set(rows.map(\.method))
        if methods.contains(.get) { methods.insert(.head) }
        return .notAllowed(methods.sorted { $0.rawValue < $1.rawValue })
    }

    private func rows(for path: String) -> [Route] {
        let exactRows = exact[path] ?? []
        guard !folders.isEmpty else { return exactRows }
        return folders.reduce(into: exactRows) { rows, entry in
            if path.hasPrefix(entry.folder) { rows += entry.routes }
        }
    }
}
