// libcurl, GnuTLS flavour.
#ifndef NHE_CCURL_SHIM_H
#define NHE_CCURL_SHIM_H

#include <curl/curl.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509-ext.h>
#include <gnutls/x509.h>

// Macros that Swift does not see.
enum {
    NHE_CURL_GLOBAL_DEFAULT = CURL_GLOBAL_DEFAULT,
    NHE_CURL_PAUSE_RECEIVE = CURLPAUSE_RECV,
    NHE_CURL_PAUSE_SEND = CURLPAUSE_SEND,
};
static const size_t NHE_CURL_WRITE_PAUSE = CURL_WRITEFUNC_PAUSE;
static const size_t NHE_CURL_READ_PAUSE = CURL_READFUNC_PAUSE;
static const size_t NHE_CURL_READ_ABORT = CURL_READFUNC_ABORT;

// curl_easy_setopt is variadic: one function a type.
static inline CURLcode nhe_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode nhe_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode nhe_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode nhe_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode nhe_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

// One function a callback.
static inline CURLcode nhe_curl_on_receive(CURL *easy, curl_write_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
}
static inline CURLcode nhe_curl_on_header(CURL *easy, curl_write_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
}
static inline CURLcode nhe_curl_on_send(CURL *easy, curl_read_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_READDATA, context);
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, function);
}
static inline CURLcode nhe_curl_on_seek(CURL *easy, curl_seek_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}
static inline CURLcode nhe_curl_on_open(CURL *easy, curl_opensocket_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}
static inline CURLcode nhe_curl_on_close(CURL *easy, curl_closesocket_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
}
static inline CURLcode nhe_curl_on_text(CURL *easy, curl_debug_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, function);
}
static inline CURLcode nhe_curl_on_connected(CURL *easy, curl_prereq_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}
static inline CURLcode nhe_curl_on_lookup(CURL *easy, curl_resolver_start_callback function, void *context) {
    curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, context);
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, function);
}

// A cache of addresses for the handles that use it, instead of their multi handle's; null without memory.
static inline CURLSH *nhe_curl_address_cache(void) {
    CURLSH *share = curl_share_init();
    if (share) curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    return share;
}

// curl_easy_getinfo is variadic too.
static inline CURLcode nhe_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode nhe_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode nhe_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode nhe_curl_get_socket(CURL *easy, curl_socket_t *value) {
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

// Null without TLS. Only while the transfer has its connection.
static inline gnutls_session_t nhe_curl_tls_session(CURL *easy) {
    struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info || !info->internals) return NULL;
    return info->backend == CURLSSLBACKEND_GNUTLS ? (gnutls_session_t)info->internals : NULL;
}

// What the library has allocated; its own function is a variable.
static inline void nhe_tls_free(void *memory) { gnutls_free(memory); }

// The certificates that the session verifies with; null where it verifies nothing. They belong to the session.
static inline gnutls_x509_trust_list_t nhe_tls_trusted(gnutls_session_t session) {
    gnutls_certificate_credentials_t credentials = NULL;
    gnutls_x509_trust_list_t trusted = NULL;
    if (gnutls_credentials_get(session, GNUTLS_CRD_CERTIFICATE, (void **)&credentials) < 0 || !credentials) return NULL;
    gnutls_certificate_get_trust_list(credentials, &trusted);
    return trusted;
}

static inline CURLMcode nhe_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// The easy handle of a transfer that has ended, with its result; null when none has.
static inline CURL *nhe_curl_next_ended(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

#endif
