// Kernel interfaces that Swift's Glibc module lacks. Included structs are copied into Swift values where they are read.
#ifndef NHE_CLINUX_SHIM_H
#define NHE_CLINUX_SHIM_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/if_link.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/errqueue.h>
#include <linux/inet_diag.h>
#include <linux/net_tstamp.h>
#include <linux/sock_diag.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

// An enumeration constant whose type differs between kernel header versions; one C spelling serves all.
enum {
    NHE_EFD_FLAGS = EFD_NONBLOCK | EFD_CLOEXEC,
    NHE_EPOLL_FLAGS = EPOLL_CLOEXEC,
    NHE_TFD_FLAGS = TFD_NONBLOCK | TFD_CLOEXEC,
    NHE_TFD_CANCEL_FLAGS = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
};

// socket(2) with its arguments in whole registers. The compiler may leave anything in the upper half of a register that holds an int: the kernel
// ignores it, but a seccomp filter compares all 64 bits, and that of systemd's RestrictAddressFamilies= then refuses the family.
static inline int nhe_socket(int family, int type, int protocol) {
    return (int)syscall(SYS_socket, (long)family, (long)type, (long)protocol);
}

// ppoll(2) without a signal mask, which Glibc's module hides with _GNU_SOURCE. For a limit it takes a struct timespec, which the kernel changes,
// or NULL for none. Without types, since this module's would be others than Glibc's.
static inline int nhe_poll(void *descriptors, unsigned long count, void *limit) {
    return (int)syscall(SYS_ppoll, descriptors, count, limit, NULL, 0L);
}

// prctl is variadic. The kernel keeps 15 bytes of the name.
static inline void nhe_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
