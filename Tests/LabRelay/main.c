// A link with delay, jitter, loss, rate and buffer between two network namespaces: netem for kernels without it.
//
//   lab-relay NETNS_A TUN_A NETNS_B TUN_B [delay=US] [jitter=US] [loss=RATIO] [rate=BITS[,BITS]] [buffer=BYTES[,BYTES]]
//             [seed=N] [then=US] [slots=N] [log=FILE]
//
// Each direction holds a packet for the serialization at `rate` behind those before it, then for `delay` plus or minus a
// uniform share of `jitter`, and keeps the order. What does not fit into `buffer` bytes, or is chosen by `loss`, is
// dropped. SIGUSR1 changes the delay to that of `then`. Of two numbers the second is for what B sends. A rate counts IP packets: nothing
// else is on a tun device. `slots` is how many packets a direction can hold, a power of two: 8192 by default.
//
// It prints "ready" when both devices are attached, and writes the log when it is ended by SIGTERM: a line for each packet, "TIME_NS
// DIRECTION LENGTH PROTOCOL HOLD_NS", where DIRECTION is a (from A) or b, and HOLD_NS is how long the packet really stayed here, or "drop".
// TCP over IPv4 has four more fields, "PORT SEQUENCE PAYLOAD FLAGS": A's port, the sequence number, the bytes of payload, and the flags as a
// number (RFC 9293). A packet has its line when it leaves. The relay runs at SCHED_FIFO, since at normal priority it is off by 8 ms under load.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { PACKET = 2048, RECORDS = 1 << 22 };

struct packet { uint64_t arrived, due; uint16_t length; uint8_t bytes[PACKET]; };
struct direction {
    int from, to;
    char name;
    uint64_t rate_bits, buffer_bytes;
    uint64_t free_at, last_due;      // when the line is free again; when the last packet leaves
    uint32_t head, tail;             // slots between them are in use
    struct packet *slots;
};
struct record { uint64_t at, hold; uint32_t sequence; uint16_t length, port, payload; uint8_t protocol, flags; char direction; };

static uint64_t delay_ns, then_ns, jitter_ns, seed = 1;
static double loss;
static uint32_t slot_count = 1 << 13;
static struct record *records;
static size_t record_count;

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "lab-relay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// splitmix64: the same seed drops the same packets.
static double next_random(void) {
    uint64_t value = (seed += 0x9e3779b97f4a7c15u);
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return (double)((value ^ (value >> 31)) >> 11) * 0x1p-53;
}

static uint8_t protocol_of(const uint8_t *bytes, size_t length) {
    if (length >= 20 && bytes[0] >> 4 == 4) return bytes[9];
    if (length >= 40 && bytes[0] >> 4 == 6) return bytes[6];
    return 0;
}

static void note(const struct direction *way, const struct packet *packet, uint64_t hold) {
    if (record_count == RECORDS) return;
    struct record *record = &records[record_count++];
    *record = (struct record){
        .at = packet->arrived, .hold = hold, .length = packet->length, .direction = way->name,
        .protocol = protocol_of(packet->bytes, packet->length),
    };
    if (record->protocol != IPPROTO_TCP || packet->bytes[0] >> 4 != 4) return;
    const uint8_t *segment = packet->bytes + (packet->bytes[0] & 15) * 4;
    size_t headers = (size_t)(segment - packet->bytes) + 20;
    if (packet->length < headers) return;
    headers += (size_t)(segment[12] >> 4) * 4 - 20;
    const uint8_t *port = segment + (way->name == 'a' ? 0 : 2);
    record->port = (uint16_t)(port[0] << 8 | port[1]);
    record->sequence = (uint32_t)segment[4] << 24 | (uint32_t)segment[5] << 16 | (uint32_t)segment[6] << 8 | segment[7];
    record->payload = packet->length > headers ? (uint16_t)(packet->length - headers) : 0;
    record->flags = segment[13];
}

// Takes what the device has, as far as there is room.
static void take(struct direction *way) {
    while (way->tail - way->head < slot_count) {
        struct packet *packet = &way->slots[way->tail % slot_count];
        ssize_t length = read(way->from, packet->bytes, PACKET);
        if (length <= 0) return;
        packet->length = (uint16_t)length;
        packet->arrived = now_ns();
        uint64_t start = packet->arrived > way->free_at ? packet->arrived : way->free_at;
        uint64_t waiting = way->rate_bits ? (start - packet->arrived) * way->rate_bits / 8000000000u : 0;
        // Neighbour discovery and the like keep their order of random numbers out of a test's way: only IP is dropped.
        int is_lost = loss > 0 && next_random() < loss;
        if (is_lost || waiting + (uint64_t)length > way->buffer_bytes) {
            note(way, packet, UINT64_MAX);
            continue;
        }
        way->free_at = start + (way->rate_bits ? (uint64_t)length * 8000000000u / way->rate_bits : 0);
        uint64_t spread = jitter_ns ? (uint64_t)(next_random() * 2 * (double)jitter_ns) : 0;
        packet->due = way->free_at + delay_ns + spread - (jitter_ns < delay_ns ? jitter_ns : delay_ns);
        if (packet->due < way->last_due) packet->due = way->last_due;
        way->last_due = packet->due;
        way->tail++;
    }
}

// Sends on what is due; returns when the next one is, or 0.
static uint64_t send_due(struct direction *way) {
    while (way->head != way->tail) {
        struct packet *packet = &way->slots[way->head % slot_count];
        uint64_t now = now_ns();
        if (packet->due > now) return packet->due;
        // A device that is down drops it, as a cable without a far end does.
        int is_sent = write(way->to, packet->bytes, packet->length) == packet->length;
        note(way, packet, is_sent ? now_ns() - packet->arrived : UINT64_MAX);
        way->head++;
    }
    return 0;
}

static int attach(const char *namespace_path, const char *device) {
    int namespace_file = open(namespace_path, O_RDONLY | O_CLOEXEC);
    if (namespace_file < 0 || setns(namespace_file, CLONE_NEWNET) != 0) fail(namespace_path);
    close(namespace_file);
    int tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (tun < 0) fail("/dev/net/tun");
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strncpy(request.ifr_name, device, IFNAMSIZ - 1);
    if (ioctl(tun, TUNSETIFF, &request) != 0) fail(device);
    return tun;
}

static void write_log(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file) fail(path);
    for (size_t index = 0; index < record_count; index++) {
        const struct record *record = &records[index];
        fprintf(file, "%llu %c %u %u ", (unsigned long long)record->at, record->direction, record->length,
                record->protocol);
        if (record->hold == UINT64_MAX) fputs("drop", file);
        else fprintf(file, "%llu", (unsigned long long)record->hold);
        if (record->port)
            fprintf(file, " %u %u %u %u", record->port, record->sequence, record->payload, record->flags);
        fputc('\n', file);
    }
    if (fclose(file) != 0) fail(path);
}

// One number for both directions, or one for each.
static void each(const char *text, uint64_t *first, uint64_t *second) {
    char *rest;
    *first = strtoull(text, &rest, 10);
    *second = *rest == ',' ? strtoull(rest + 1, NULL, 10) : *first;
}

int main(int count, char **words) {
    if (count < 5) {
        fputs("usage: lab-relay NETNS_A TUN_A NETNS_B TUN_B [KEY=VALUE ...]\n", stderr);
        return 64;
    }
    const char *log_path = NULL;
    struct direction ways[2] = {{.name = 'a', .buffer_bytes = 1 << 20}, {.name = 'b', .buffer_bytes = 1 << 20}};
    for (int index = 5; index < count; index++) {
        char *value = strchr(words[index], '=');
        if (!value) { errno = EINVAL; fail(words[index]); }
        *value++ = 0;
        if (!strcmp(words[index], "delay")) delay_ns = strtoull(value, NULL, 10) * 1000;
        else if (!strcmp(words[index], "then")) then_ns = strtoull(value, NULL, 10) * 1000;
        else if (!strcmp(words[index], "jitter")) jitter_ns = strtoull(value, NULL, 10) * 1000;
        else if (!strcmp(words[index], "loss")) loss = strtod(value, NULL);
        else if (!strcmp(words[index], "rate")) each(value, &ways[0].rate_bits, &ways[1].rate_bits);
        else if (!strcmp(words[index], "buffer")) each(value, &ways[0].buffer_bytes, &ways[1].buffer_bytes);
        else if (!strcmp(words[index], "seed")) seed = strtoull(value, NULL, 10);
        else if (!strcmp(words[index], "slots")) slot_count = (uint32_t)strtoul(value, NULL, 10);
        else if (!strcmp(words[index], "log")) log_path = value;
        else { errno = EINVAL; fail(words[index]); }
    }
    ways[0].from = ways[1].to = attach(words[1], words[2]);
    ways[1].from = ways[0].to = attach(words[3], words[4]);
    size_t slots = sizeof(struct packet) * slot_count, log_size = sizeof(struct record) * RECORDS;
    for (int index = 0; index < 2; index++) {
        ways[index].slots = mmap(NULL, slots, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ways[index].slots == MAP_FAILED) fail("mmap");
    }
    records = mmap(NULL, log_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (records == MAP_FAILED) fail("mmap");

    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int signalled = signalfd(-1, &signals, SFD_CLOEXEC);
    struct sched_param priority = {.sched_priority = 50};
    if (signalled < 0 || sched_setscheduler(0, SCHED_FIFO, &priority) != 0) fail("SCHED_FIFO");
    puts("ready");
    fflush(stdout);

    while (1) {
        uint64_t first = send_due(&ways[0]), second = send_due(&ways[1]);
        uint64_t due = !first ? second : !second ? first : first < second ? first : second;
        uint64_t now = now_ns(), wait = due > now ? due - now : 0;
        struct timespec pause = {(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
        // A full direction is not read until it has sent: the device's own queue drops then.
        struct pollfd watched[3] = {
            {ways[0].tail - ways[0].head < slot_count ? ways[0].from : -1, POLLIN, 0},
            {ways[1].tail - ways[1].head < slot_count ? ways[1].from : -1, POLLIN, 0},
            {signalled, POLLIN, 0},
        };
        if (ppoll(watched, 3, due ? &pause : NULL, NULL) < 0 && errno != EINTR) fail("ppoll");
        if (watched[2].revents) {
            struct signalfd_siginfo signal;
            if (read(signalled, &signal, sizeof signal) != sizeof signal || signal.ssi_signo != SIGUSR1) break;
            delay_ns = then_ns;
        }
        take(&ways[0]);
        take(&ways[1]);
    }
    struct sched_param normal = {0};
    sched_setscheduler(0, SCHED_OTHER, &normal);
    if (log_path) write_log(log_path);
    return 0;
}
