// libmicrohttpd without its variadic functions, which Swift cannot call.
#ifndef NHE_CMICROHTTPD_SHIM_H
#define NHE_CMICROHTTPD_SHIM_H

#include <stdarg.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <microhttpd.h>

// Linux's, which Glibc's module hides with _GNU_SOURCE.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
enum { NHE_POLLRDHUP = 0x2000 };

static inline int nhe_accept(int listener, struct sockaddr_storage *peer, socklen_t *length) {
    *length = sizeof *peer;
    return accept4(listener, (struct sockaddr *)peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// What a daemon is started with; every callback gets `context`.
struct nhe_mhd_options {
    void *context;
    size_t memory_per_connection;
    unsigned int connections;
    unsigned int idle_seconds;
    int tls;
    // 1: MHD_OPTION_CLIENT_DISCIPLINE_LVL 1 of 1.0, which the headers of 0.9.75 do not have; 0: the default.
    int strict;
    MHD_AccessHandlerCallback handle;
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback complete;
    MHD_NotifyConnectionCallback notify;
    MHD_LogCallback log;
};

// A certificate callback that has none: each connection gets credentials of its own before its handshake.
static inline int nhe_mhd_no_certificate(void *session, const void *authorities, int authority_count, const void *algorithms,
    int algorithm_count, void **certificates, unsigned int *count, void **key) {
    return -1;
}

// One event thread on epoll, no listening socket: connections come through MHD_add_connection.
static inline struct MHD_Daemon *nhe_mhd_start(const struct nhe_mhd_options *options) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC
        | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)nhe_mhd_no_certificate},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(
        options->tls ? flags | MHD_USE_TLS : flags,
        0, NULL, NULL, options->handle, options->context,
        MHD_OPTION_EXTERNAL_LOGGER, options->log, options->context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->memory_per_connection,
        MHD_OPTION_CONNECTION_LIMIT, options->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_seconds,
        MHD_OPTION_STRICT_FOR_CLIENT, options->strict,
        MHD_OPTION_URI_LOG_CALLBACK, options->begin, options->context,
        MHD_OPTION_NOTIFY_COMPLETED, options->complete, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->notify, options->context,
        MHD_OPTION_ARRAY, options->tls ? secure : &secure[1],
        MHD_OPTION_END);
}

// Adds a descriptor whose signals wake the event thread, and mean nothing else: it skips events without a pointer.
static inline int nhe_mhd_add_wakeup(struct MHD_Daemon *daemon, int descriptor) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
    return info ? epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, descriptor, &event) : -1;
}

// Any thread may give an upgraded connection back; variadic too.
static inline enum MHD_Result nhe_mhd_close_upgraded(struct MHD_UpgradeResponseHandle *handle) {
    return MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

// Neither chunks nor keeps the connection.
static inline void nhe_mhd_make_plain(struct MHD_Response *response) {
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// -1 when there is none.
static inline int nhe_mhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *nhe_mhd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

// The gnutls_session_t; NULL without TLS.
static inline void *nhe_mhd_tls_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

// What NOTIFY_CONNECTION stored for the connection.
static inline void *nhe_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

// Hides the query from the library, before it reads it: for each key it takes memory of the connection, and with hundreds of
// them it runs out and answers nothing. `target` is its own buffer, which it changes next.
static inline void nhe_mhd_hide_query(const char *target) {
    char *query = (char *)target;
    while (*query && *query != '?') query++;
    if (*query) query[1] = 0;
}

// Bytes of the request line and the headers; valid from the first call of the handler on.
static inline size_t nhe_mhd_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

#endif
