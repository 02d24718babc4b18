import CCurl

/// libcurl's handle of one transfer, used for one after the other.
///
/// Not Sendable: made, used and freed on the loop's thread.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    /// The addresses of the names of one transfer; nil while libcurl has none from us.
    private var addressCache: UnsafeMutableRawPointer?

    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reset()
    }

    deinit {
        curl_easy_cleanup(pointer)
        freeLists()
        if let addressCache { curl_share_cleanup(addressCache) }
        errorText.deallocate()
    }

    /// Forgets the last transfer, as soon as the multi handle has.
    func reset() {
        curl_easy_reset(pointer)
        freeLists()
        dropAddresses()
        errorText.pointee = 0
        nhe_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
    }

    /// The message of the library about a failure; else the text of the code.
    func message(for code: CURLcode) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    private func freeLists() {
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }

    /// Hands over the addresses of names; the handle must be in no multi handle.
    ///
    /// CURLOPT_CONNECT_TO takes one address only, and CURLOPT_RESOLVE alone puts them into the multi handle's cache, for all
    /// transfers: the handle gets a cache of its own.
    func set(addresses: ResolvedNames) throws(OptionError) {
        dropAddresses()
        guard let cache = nhe_curl_address_cache() else { throw OptionError(code: CURLE_OUT_OF_MEMORY) }
        addressCache = cache
        try check(nhe_curl_set_pointer(pointer, CURLOPT_SHARE, cache))
        try set(CURLOPT_RESOLVE, list: addresses.entries)
    }

    private func dropAddresses() {
        guard let addressCache else { return }
        nhe_curl_set_pointer(pointer, CURLOPT_SHARE, nil)
        curl_share_cleanup(addressCache)
        self.addressCache = nil
    }
}

/// An option that the library does not take.
struct OptionError: Error {
    let code: CURLcode
}

extension EasyHandle {
    func set(_ option: CURLoption, _ value: Int) throws(OptionError) {
        try check(nhe_curl_set_long(pointer, option, value))
    }

    func set(_ option: CURLoption, _ value: Bool) throws(OptionError) {
        try set(option, value ? 1 : 0)
    }

    func set(_ option: CURLoption, offset value: Int64) throws(OptionError) {
        try check(nhe_curl_set_offset(pointer, option, curl_off_t(value)))
    }

    /// The library keeps a copy; nil is its null.
    func set(_ option: CURLoption, _ value: String?) throws(OptionError) {
        try check(nhe_curl_set_string(pointer, option, value))
    }

    /// An empty list sets nothing.
    func set(_ option: CURLoption, list values: [String]) throws(OptionError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for value in values {
            // A failure leaves the list as it was.
            guard let longer = curl_slist_append(list, value) else {
                curl_slist_free_all(list)
                throw OptionError(code: CURLE_OUT_OF_MEMORY)
            }
            list = longer
        }
        guard let list else { return }
        lists.append(list)
        try check(nhe_curl_set_list(pointer, option, list))
    }

    func check(_ code: CURLcode) throws(OptionError) {
        guard code == CURLE_OK else { throw OptionError(code: code) }
    }

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return nhe_curl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return nhe_curl_get_offset(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        guard nhe_curl_get_string(pointer, info, &value) == CURLE_OK, let value else { return nil }
        return String(cString: value)
    }

    /// The connection's socket, if it outlived the transfer.
    var socket: Int32? {
        var value: Int32 = -1
        return nhe_curl_get_socket(pointer, &value) == CURLE_OK && value >= 0 ? value : nil
    }
}
