import HTTPTransfer
import Posix

/// Sends one query to a server: over UDP and, if the answer does not fit, over TCP.
///
/// The query is sent once: a lost packet is a failure, so that loss is visible.
package struct DNSProbe: Probe {
    package enum RecordType: String, Sendable, CaseIterable {
        case a = "A"
        case aaaa = "AAAA"
        case txt = "TXT"
        case mx = "MX"
    }

    package static let module = "dns"
    package static let failures = ProbeFailure.ofPath.union([.refused, .protocolViolation, .rcode])

    /// The name that is queried.
    package var query: String
    /// The probe fails without a record of this type in an answer with NOERROR.
    package var type: RecordType

    package init(query: String, type: RecordType = .a) {
        self.query = query
        self.type = type
    }

    package func probe(_ target: Target, in context: ProbeContext, with tools: ProbeTools) async -> ProbeResult {
        let question: DNSQuery
        do throws(DNSNameError) {
            // An id that cannot be predicted.
            question = DNSQuery(id: .random(in: .min ... .max), name: try DNSName(query), type: type)
        } catch {
            return ProbeResult(failure: .resolve, detail: "query “\(query)”: \(error)")
        }
        guard let place = HostPort(target.address) else {
            return ProbeResult(failure: .resolve, detail: "“\(target.address)” is not a host or HOST:PORT")
        }
        var result = await tools.probeAddresses(
            of: place.host,
            port: place.port ?? DNSServer.defaultPort,
            for: target,
            in: context
        ) { address, device, deadline in
            await Self.ask(question, DNSServer(address: address, device: device), until: deadline, tools.readiness)
        }
        if target.isGateway, result.address != nil { result.phases.resolve = .zero }
        return result
    }

    /// Asks a name server once for the IPv4 address of a name.
    static func ask(
        for name: String,
        at server: IPAddress,
        port: UInt16 = DNSServer.defaultPort,
        device: String? = nil,
        timeout: Duration,
        _ readiness: Readiness
    ) async -> ProbeResult {
        guard let name = try? DNSName(name) else { return .cancelled }
        let query = DNSQuery(id: .random(in: .min ... .max), name: name, type: .a)
        let address = SocketAddress(server, port: port)
        return await ask(query, DNSServer(address: address, device: device), until: .now + timeout, readiness)
    }

    private static func ask(
        _ query: DNSQuery,
        _ server: DNSServer,
        until deadline: ContinuousClock.Instant,
        _ readiness: Readiness
    ) async -> ProbeResult {
        let exchange = DNSExchange(query: query, server: server, deadline: deadline, readiness: readiness)
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
            result.refusal = error.refusal
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
