import CCurl

/// The library as a whole.
enum CurlLibrary {
    /// Its global state, made once before the first handle and never undone.
    ///
    /// A `static let` is initialized by one thread while the others wait, which is what curl_global_init(3) asks for.
    static let initialization = curl_global_init(NHE_CURL_GLOBAL_DEFAULT)
}
