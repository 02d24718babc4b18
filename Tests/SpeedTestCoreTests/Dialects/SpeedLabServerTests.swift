import Coordination
import HTTPTransfer
import Lab
import Testing

@testable import SpeedTestCore

/// SpeedLabServer, whose uploads are files of a form, within limits of its own.
@Suite(.timeLimit(.minutes(3)))
struct SpeedLabServerTests {
    @Test func `a whole test keeps its rules, which are found out once`() async throws {
        let server = try SpeedlabServer(isSpeedLabServer: true)
        defer { server.close() }
        let report = await runTest(server.url)
        #expect(report.failure == nil && report.download != nil, "\(report)")
        #expect(report.upload?.accounting == .acknowledged)
        let requests = server.requests
        let sizes = requests.compactMap { line in
            line.firstRange(of: "/download?size=").flatMap { UInt64(line[$0.upperBound...].prefix { $0.isNumber }) }
        }
        #expect(sizes.filter { !SpeedLabServerRules.downloads.contains($0) } == [0])
        #expect(sizes.max() == SpeedLabServerRules.downloads.upperBound)
        #expect(!requests.contains { $0.contains("/counters/") })
        #expect(Set(server.uploads).isSubset(of: ["201 Created"]))
    }

    @Test func `an upload of any size is a whole file`() async throws {
        let server = try SpeedlabServer(isSpeedLabServer: true)
        defer { server.close() }
        let transport = try CurlTransport(userAgent: "tests/1")
        defer { transport.stop() }
        var dialect = SpeedlabDialect(base: try #require(WebURL(server.url)))
        try await dialect.prepare(asking: transport)
        let request = dialect.upload(bytes: 1, id: SpeedTestRequest.token())
        let form = UInt64(request.bodyHead.count + request.bodyTail.count)
        var sum: UInt64 = 0
        // Also longer than the noise that repeats.
        for bytes in [1, form, form + 1, 1000, 3_000_000] {
            let meter = TransferMeter()
            let response = try await transport.carry(request, .upload, bytes: bytes, meter: meter)
            #expect(response.status == 201 && meter.sent == max(bytes, form), "\(bytes)")
            sum += meter.sent
        }
        #expect(server.received == sum)
    }

    @Test(arguments: [true, false])
    func `an exporter with an upload limit or without counters stays one`(hasCounters: Bool) async throws {
        let server = try SpeedlabServer(hasCounters: hasCounters, largestUpload: 1 << 20)
        defer { server.close() }
        let report = await runTest(server.url) { $0.directions = [.upload] }
        #expect(report.failure == nil && report.upload != nil, "\(report)")
        #expect(server.requests.contains { $0.contains("/counters/") })
        #expect(server.uploads.isEmpty)
    }

    /// Answers like SpeedLabServer and keeps what is uploaded.
    private struct Recorder: AnsweringNetworking {
        let uploads = Locked<[(request: SpeedTestRequest, byteCount: Int)]>([])

        func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse {
            SpeedTestResponse(status: request.url.hasSuffix("/download?size=0") ? 400 : 200)
        }

        func upload(
            _ request: SpeedTestRequest,
            byteCount: Int,
            sent: @escaping @Sendable (Int) -> Void
        ) async throws -> SpeedTestResponse {
            uploads.withLock { $0.append((request, byteCount)) }
            return SpeedTestResponse(status: 201)
        }
    }

    @Test func `a networking of the program's own gets the form around the bytes`() async throws {
        let recorder = Recorder()
        let transport = CustomTransport(networking: recorder)
        var dialect = SpeedlabDialect(base: try #require(WebURL("http://h:8080/")))
        try await dialect.prepare(asking: transport)
        #expect(dialect.counters(id: "ab") == nil)
        let request = dialect.upload(bytes: 1, id: "ab")
        for bytes: UInt64 in [1, 1000] {
            _ = try await transport.carry(request, .upload, bytes: bytes, meter: TransferMeter())
        }
        let form = request.bodyHead.count + request.bodyTail.count
        #expect(recorder.uploads.withLock { $0.map(\.byteCount) } == [form, 1000])
        var upload = SpeedLabServerRules.Upload(contentType: request.headers["Content-Type"] ?? "")
        upload.take((request.bodyHead + request.bodyTail)[...])
        #expect(SpeedLabServerRules.status(of: upload) == "201 Created")
    }

    @Test func `the copy of the rules refuses what the server refuses`() {
        func status(_ type: String, _ body: String) -> String {
            var upload = SpeedLabServerRules.Upload(contentType: type)
            for byte in body.utf8 { upload.take([byte]) }
            return SpeedLabServerRules.status(of: upload)
        }
        let part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nx"
        #expect(status("multipart/form-data; boundary=b", "\(part)\r\n--b--\r\n") == "201 Created")
        #expect(status("application/octet-stream", "x") == "415 Unsupported Media Type")
        #expect(status("multipart/form-data; boundary=b", part) == "422 Unprocessable Entity")
        let other = part.replacing("\"file\"", with: "\"other\"")
        #expect(status("multipart/form-data; boundary=b", "\(other)\r\n--b--\r\n") == "422 Unprocessable Entity")
    }
}
