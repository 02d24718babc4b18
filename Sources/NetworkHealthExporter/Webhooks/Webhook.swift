import HTTPTransfer
import Probing
import StrictYAML

/// A receiver of events about the network.
struct Webhook: Sendable, Equatable {
    var url = ""
    var events: [WebhookEvent] = [.restored]
    /// What must be met when it is sent; nil: it is sent as soon as the kernel has a path, so that a receiver in the local network gets the
    /// news of an outage during it.
    var requirement: String?
    /// How long an outage, or another quality, must last.
    var minOutage = Duration.seconds(30)
    /// Signs each delivery; nil: none is signed.
    var secret: String?
    /// nil: the message as JSON.
    var body: WebhookTemplate?
    var contentType = "application/json"
    var headers: [String: String] = [:]
    var request = HTTPRequestOptions()

    /// An element of `webhooks`.
    static var type: YAMLType<Webhook> {
        .section(
            Webhook(),
            [
                .required("url", \.url, url),
                .key("events", \.events, .list(of: .oneOf)),
                .key("when", \.requirement, .keyword("always", or: requirement)),
                .key("min_outage", \.minOutage, .duration(in: .zero ... .seconds(86_400))),
                .key("secret", \.secret, .optional(.secret("a text that is not empty") { !$0.isEmpty })),
                .key("body", \.body, .emptyOr(template)),
                .key("content_type", \.contentType, .text("a media type") { isMediaType($0) ? $0 : nil }),
                .key("headers", \.headers, YAMLType<[String: String]>.headers.omitted(\.isEmpty)),
            ] + HTTPRequestOptions.keys.of(\.request),
            complete: { (webhook, map) throws(YAMLError) in
                try HTTPRequestOptions.check(map)
                guard !webhook.events.isEmpty else { throw map.error("expected at least one", at: "events") }
            }
        )
    }

    private static var requirement: YAMLType<String> {
        .text("the name of a requirement such as online") { RequirementsSection.isName($0) ? $0 : nil }
    }

    /// A URL whose path is often a credential: it is never printed.
    private static var url: YAMLType<String> {
        .secret("an absolute http or https URL without user info such as https://example.com/hook") { text in
            WebURL.plain(text, ["http", "https"]).map { $0.userInfo == nil } ?? false
        }
    }

    /// A text that may have a credential, too.
    private static var template: YAMLType<WebhookTemplate> {
        YAMLType(
            expectations: ["a text with placeholders"],
            read: { cursor throws(YAMLError) in
                let source = try YAMLType<String>.nonEmptyString.read(cursor)
                do throws(WebhookTemplate.Mistake) {
                    return try WebhookTemplate(source)
                } catch {
                    throw cursor.error("\(error)")
                }
            },
            write: { _ in .secret }
        )
    }

    private static func isMediaType(_ text: String) -> Bool {
        text.contains("/") && HeaderText.isValue(text)
    }
}
