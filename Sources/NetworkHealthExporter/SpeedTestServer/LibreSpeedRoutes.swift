import MicroHTTP
import SpeedTestCore

/// LibreSpeed's backend, under the names of its PHP, Go and Rust servers.
enum LibreSpeedRoutes {
    /// Chunks of 1 MiB, as in its PHP server: anything but a number from 1 on is the default.
    private static let chunk: UInt64 = 1_048_576
    private static let defaultChunks: UInt64 = 4
    private static let maxChunks: UInt64 = 1024

    static func rows(_ answers: SpeedTestAnswers) -> [SpeedTestRow] {
        ["", "/backend"].flatMap { folder in
            ["", ".php"].flatMap { suffix -> [SpeedTestRow] in
                [
                    .get("\(folder)/garbage\(suffix)") { request in
                        let asked = request.size("ckSize") ?? defaultChunks
                        let chunks = asked == 0 ? defaultChunks : min(asked, maxChunks)
                        return answers.download(request, bytes: chunks * chunk, headers: downloadHeaders)
                    },
                    .get("\(folder)/empty\(suffix)") { request in answers.page(request) { .empty(status: 200) } },
                    .post("\(folder)/empty\(suffix)") { request in
                        answers.upload(request) { _ in .empty(status: 200) }
                    },
                    .get("\(folder)/getIP\(suffix)") { request in
                        answers.page(request) { .json(Address(processedString: request.peer).json) }
                    },
                ]
            }
        }
    }

    private static let downloadHeaders: Headers = [
        "Content-Description": "File Transfer", "Content-Disposition": "attachment; filename=random.dat",
        "Content-Transfer-Encoding": "binary",
    ]

    /// The address of the client; its provider is not looked up.
    private struct Address: Encodable {
        var processedString: String
        var rawIspInfo = ""
    }
}
