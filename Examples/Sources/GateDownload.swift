import NetworkHealth

/// Starts a large download only where the network is good enough for it.
///
/// - Returns: whether it did.
@discardableResult
func startDownload() async -> Bool {
    // Takes milliseconds and sends nothing: ask each time instead of keeping the answer.
    let check = await NetworkHealth.check(requirement: .largeDownload)
    if check.passed {
        print("gate: the download starts, the network is \(check.currentQuality)")
    } else {
        print("gate: no download, \(check.currentQuality) instead of \(check.requiredQuality): \(check.recommendation)")
    }
    return check.passed
}
