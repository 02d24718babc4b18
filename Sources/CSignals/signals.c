#define _GNU_SOURCE
#include "CSignals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
enum { COUNT = sizeof numbers / sizeof numbers[0] };

// Seconds that the process has to end after the first SIGINT or SIGTERM; it takes less than 5 (docs/faults.md).
enum { GRACE = 10 };

static struct sigaction before[COUNT];
static int ends[2] = {-1, -1};
static volatile sig_atomic_t is_ending;

static void keep(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    // Where the pipe is full, 64 KiB of signals wait already.
    ssize_t written = write(ends[1], &byte, 1);
    (void)written;
    if (number != SIGHUP && !is_ending) {
        is_ending = 1;
        alarm(GRACE);
    }
    errno = saved;
}

// What reads the pipe needs threads, which a limit of this machine may have taken. The process ends all the same.
static void end(int number) {
    (void)number;
    static const char text[] = "Error: not ended 10 s after the signal to do so: it ends at once\n";
    // A pipe that is full and not read would block the write.
    struct pollfd errors = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&errors, 1, 0) == 1 && write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
    _exit(1);
}

void nhe_catch_signals(void) {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) < 0 && errno == EBADF) open("/dev/null", O_RDWR);
    }
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    signal(SIGALRM, end);
    struct sigaction action = {.sa_handler = keep, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < COUNT; i++) {
        sigaction(numbers[i], &action, &before[i]);
        // nohup(1) starts its program with SIGHUP ignored, and so it stays.
        if (numbers[i] == SIGHUP && before[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &before[i], NULL);
    }
}

int nhe_caught_signals(void) { return ends[0]; }

void nhe_restore_signals(void) {
    if (ends[0] < 0) return;
    signal(SIGALRM, SIG_DFL);
    alarm(0);
    for (int i = 0; i < COUNT; i++) sigaction(numbers[i], &before[i], NULL);
    unsigned char number;
    while (read(ends[0], &number, 1) == 1) kill(getpid(), number);
}
