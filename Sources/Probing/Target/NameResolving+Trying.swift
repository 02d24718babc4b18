import HTTPTransfer

extension NameResolving {
    /// Resolves the target's host, then asks its addresses one after the other until one is no dead end.
    ///
    /// An address is a dead end where the kernel or a router says so at once, as for an IPv6 address on a path of IPv4
    /// alone: no time has gone by then. One that is silent uses up the time and is the last.
    func tryAddresses(
        of host: String,
        for target: Target,
        _ ask: (ResolvedAddress, _ deadline: ContinuousClock.Instant) async -> ProbeResult
    ) async -> ProbeResult {
        let start = ContinuousClock.now
        let deadline = start + target.timeout
        var result: ProbeResult
        do {
            let addresses = try await addresses(of: host, family: target.family, until: deadline)
            let resolved = ContinuousClock.now
            result = ProbeResult(failure: .resolve, detail: "\(host) has no address")
            for address in addresses {
                result = await ask(address, deadline)
                result.address = address.address
                guard result.failure == .unreachable || result.failure == .refused else { break }
            }
            result.phases.resolve = resolved - start
        } catch {
            result = ProbeResult(failure: error, detail: "\(host) cannot be resolved")
        }
        result.device = target.interface
        result.duration = ContinuousClock.now - start
        return result
    }
}
