import NetworkHealth

/// Starts a large download only if the network is good enough for it.
///
/// - Returns: whether it started the download.
@discardableResult
func startDownload() async -> Bool {
    // Takes milliseconds and sends nothing: check each time instead of caching the answer.
    let check = await NetworkHealth.check(requirement: .largeDownload)
    if check.passed {
        print("gate: the download starts, the network is \(check.currentQuality)")
    } else {
        print("gate: no download, \(check.currentQuality) instead of \(check.requiredQuality): \(check.recommendation)")
    }
    return check.passed
}
