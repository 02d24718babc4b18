// A web server that answers everything with the same bytes through libmicrohttpd: what is left to gain.
//
//   constant PORT BODY            with the exporter's own headers, so that as many bytes go over the line
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct MHD_Response *response;

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state) {
    (void)context, (void)url, (void)method, (void)version, (void)upload, (void)upload_size;
    // An answer to the first call ends the connection.
    if (!*state) return *state = response, MHD_YES;
    return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: constant PORT BODY\n"), 64;
    response = MHD_create_response_from_buffer(strlen(arguments[2]), arguments[2], MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Vary", "Accept");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, (uint16_t)atoi(arguments[1]), NULL, NULL,
                                                 answer, NULL, MHD_OPTION_END);
    if (!daemon) return perror("constant"), 1;
    pause();
}
