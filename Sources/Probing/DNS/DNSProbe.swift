import HTTPTransfer
package import Posix

/// Asks a server one question: over UDP and, where the answer does not fit, over TCP.
///
/// The query is sent once: what is lost is a failure, so that loss is visible.
package struct DNSProbe: Probe {
    private let resolver: any NameResolving
    private let readiness: Readiness
    private let openSocket: SocketOpener

    /// - Parameters:
    ///   - resolver: finds a server that is given by name.
    ///   - readiness: waits for the sockets.
    ///   - openSocket: another way to sockets than in this network namespace.
    package init(
        resolver: any NameResolving,
        readiness: Readiness,
        openSocket: @escaping SocketOpener = Descriptor.openSocket
    ) {
        self.resolver = resolver
        self.readiness = readiness
        self.openSocket = openSocket
    }

    package func probe(_ target: Target, in surroundings: ProbeSurroundings) async -> ProbeResult {
        guard case .dns(let options) = target.options else { preconditionFailure("the target of another module") }
        let query: DNSQuery
        do throws(DNSNameError) {
            // An id that cannot be foreseen.
            query = DNSQuery(id: .random(in: .min ... .max), name: try DNSName(options.query), type: options.type)
        } catch {
            return ProbeResult(failure: .resolve, detail: "query “\(options.query)”: \(error)")
        }
        if target.isGateway { return await askGateway(query, target, in: surroundings) }
        guard let name = DNSServerName(target.address) else {
            return ProbeResult(failure: .resolve, detail: "“\(target.address)” is no host, with or without a port")
        }
        return await resolver.tryAddresses(of: name.host, for: target) { address, deadline in
            await ask(query, DNSServer(address: address, port: name.port, device: target.interface), until: deadline)
        }
    }

    private func askGateway(
        _ query: DNSQuery,
        _ target: Target,
        in surroundings: ProbeSurroundings
    ) async -> ProbeResult {
        guard let gateway = surroundings.gateway(for: target) else {
            return ProbeResult(failure: .unreachable, detail: "the path has no such gateway")
        }
        let start = ContinuousClock.now
        let server = DNSServer(
            address: SocketAddress(gateway.address, port: DNSServer.defaultPort),
            device: target.interface ?? gateway.neededDevice
        )
        var result = await ask(query, server, until: start + target.timeout)
        result.phases.resolve = .zero
        result.address = gateway.address
        result.device = target.interface
        result.duration = .now - start
        return result
    }

    private func ask(
        _ query: DNSQuery,
        _ server: DNSServer,
        until deadline: ContinuousClock.Instant
    ) async -> ProbeResult {
        let connect: DNSExchange.Connect = { [openSocket] type throws(DNSProbeError) in
            try DNSSocket(openSocket, type, to: server)
        }
        let exchange = DNSExchange(query: query, deadline: deadline, readiness: readiness, connect: connect)
        var result = ProbeResult()
        do throws(DNSProbeError) {
            let response = try await exchange.run(&result)
            result.dns = DNSFacts(response)
            guard response.code != .noError || !response.hasAnswer else { return result }
            result.failure = .rcode
            let lack = response.code == .noError ? " without \(query.type.rawValue)" : ""
            result.detail = "\(response.code)\(lack) from \(server)"
        } catch {
            result.failure = error.failure
            result.detail = "\(server): \(error.detail)"
        }
        return result
    }
}

extension DNSFacts {
    fileprivate init(_ response: DNSResponse) {
        self.init(
            responseCode: Int(response.code.rawValue),
            answers: response.answers,
            authorities: response.authorities,
            additionals: response.additionals
        )
    }
}
