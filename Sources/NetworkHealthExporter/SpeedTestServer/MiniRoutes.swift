import FoundationEssentials
import MicroHTTP

/// The six paths of Ookla's old Mini server, for `speedtest-cli --mini http://HOST:PORT` or `…/speedtest`.
enum MiniRoutes {
    /// The first request of speedtest-cli, whose agent begins as a browser's: through its proxy, with speedtest.net in `Host`.
    static let configurationPath = "/speedtest-config.php"

    /// The sides of its pictures in pixels, and their sizes.
    private static let pictures: [(side: Int, bytes: UInt64)] = [
        (350, 245_388), (500, 505_544), (750, 1_118_012), (1000, 1_986_284), (1500, 4_468_241), (2000, 7_907_740),
        (2500, 12_407_926), (3000, 17_816_816), (3500, 24_262_167), (4000, 31_625_365),
    ]

    static func rows(_ answers: SpeedTestAnswers) -> [SpeedTestRow] {
        ["", "/speedtest"].flatMap { folder in rows(answers, folder) } + [
            .get(configurationPath, atRoot: true) { request in
                answers.page(request) { .bytes(Array(clientConfiguration.utf8), contentType: "text/xml") }
            },
            // speedtest-cli adds a second slash where the address ends with one.
            .get("//speedtest/upload.php", atRoot: true) { request in answers.page(request) { .text("size=0\n") } },
        ]
    }

    private static func rows(_ answers: SpeedTestAnswers, _ folder: String) -> [SpeedTestRow] {
        [
            .get("\(folder)/latency.txt") { request in answers.page(request) { .text("test=test\n") } },
            .get("\(folder)/upload.php") { request in answers.page(request) { .text("size=0\n") } },
            .post("\(folder)/upload.php") { request in answers.upload(request) { .text("size=\($0.bytes)") } },
        ]
            + pictures.map { picture in
                .get("\(folder)/random\(picture.side)x\(picture.side).jpg") { request in
                    answers.download(request, bytes: picture.bytes, headers: ["Content-Type": "image/jpeg"])
                }
            }
    }

    /// The number of threads, and the duration.
    private static let clientConfiguration = """
        <?xml version="1.0" encoding="UTF-8"?>
        <settings>
        <client ip="127.0.0.1" lat="0" lon="0" isp="" country="XX"/>
        <server-config threadcount="4" ignoreids=""/>
        <download testlength="10" threadsperurl="4"/>
        <upload testlength="10" ratio="5" maxchunkcount="50" threads="2"/>
        </settings>

        """
}
