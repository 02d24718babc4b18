import Foundation
import Glibc

extension Date {
    /// In UTC, by a format of strftime(3).
    func text(_ format: String) -> String {
        var seconds = time_t(timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let length = strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(length).map(UInt8.init), as: UTF8.self)
    }
}
