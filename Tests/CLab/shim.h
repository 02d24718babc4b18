// What the test lab needs of a single thread: another network namespace, another user. Never linked into a product.
#ifndef NHE_CLAB_SHIM_H
#define NHE_CLAB_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Declared here because the module may be built without _GNU_SOURCE.
extern int setns(int fd, int nstype);
extern long syscall(long number, ...);

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// Lets a program to be started inherit nothing beside its first three descriptors; 0 or an errno.
static inline int nhe_inherit_nothing(posix_spawn_file_actions_t *actions) {
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

// A file in memory, closed on exec; its descriptor, or -1 with errno.
static inline int nhe_memory_file(void) {
    return (int)syscall(SYS_memfd_create, "lab", 1 /* MFD_CLOEXEC */);
}

// Lets the calling thread run on the first of its processors only; 0, or -1 with errno.
static inline int nhe_use_first_processor(void) {
    unsigned long mask[16] = {0};
    if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) < 0) return -1;
    int found = 0;
    for (int word = 0; word < 16; word++) {
        mask[word] = found ? 0 : mask[word] & -mask[word];
        found |= mask[word] != 0;
    }
    return (int)syscall(SYS_sched_setaffinity, 0, sizeof mask, mask);
}

// Moves the calling thread into the network namespace at path; 0, or -1 with errno.
static inline int nhe_enter_network_namespace(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    int result = setns(fd, 0x40000000 /* CLONE_NEWNET */);
    close(fd);
    return result;
}

// Makes the calling thread, and no other, user and group 65534 without capabilities; 0, or -1 with errno.
// glibc's functions would change every thread of the process.
static inline int nhe_become_nobody(void) {
    if (syscall(SYS_setgroups, 0, 0) != 0) return -1;
    if (syscall(SYS_setresgid, 65534, 65534, 65534) != 0) return -1;
    return (int)syscall(SYS_setresuid, 65534, 65534, 65534);
}

// Lets the calling thread, and those it starts, see the file at path with the content of another; 0, or -1 with errno.
static inline int nhe_replace_file(const char *path, const char *other) {
    if (syscall(SYS_unshare, 0x00020000 /* CLONE_NEWNS */) != 0) return -1;
    // Private first, so that it is not handed on to everybody else.
    if (syscall(SYS_mount, "none", "/", 0, 0x44000 /* MS_REC | MS_PRIVATE */, 0) != 0) return -1;
    return (int)syscall(SYS_mount, other, path, 0, 0x1000 /* MS_BIND */, 0);
}

// Lets the calling thread, and those it starts, see an empty file system in memory at path, made with such options as
// "size=1m"; 0, or -1 with errno. It is gone with the last of these threads.
static inline int nhe_mount_memory(const char *path, const char *options) {
    if (syscall(SYS_unshare, 0x00020000 /* CLONE_NEWNS */) != 0) return -1;
    if (syscall(SYS_mount, "none", "/", 0, 0x44000 /* MS_REC | MS_PRIVATE */, 0) != 0) return -1;
    return (int)syscall(SYS_mount, "none", path, "tmpfs", 0, options);
}

// Makes the file system of `nhe_mount_memory` read-only or writable again, with such options as "size=2m"; 0, or -1
// with errno. Files that are open for writing keep it from becoming read-only.
static inline int nhe_remount_memory(const char *path, int is_read_only, const char *options) {
    return (int)syscall(SYS_mount, "none", path, "tmpfs", 0x20 /* MS_REMOUNT */ | (is_read_only ? 1 : 0), options);
}

// Attaches to a tun device, which has a carrier from then on; its descriptor, or -1 with errno.
static inline int nhe_attach_tun(const char *name) {
    int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    if (fd < 0) return -1;
    // struct ifreq, whose headers contradict those of Swift's Glibc module.
    struct { char name[16]; short flags; char rest[22]; } request;
    memset(&request, 0, sizeof request);
    strncpy(request.name, name, sizeof request.name - 1);
    request.flags = 0x1001;  // IFF_TUN | IFF_NO_PI
    if (syscall(SYS_ioctl, fd, 0x400454ca /* TUNSETIFF */, &request) == 0) return fd;
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

// Gives the tun device of a descriptor another hardware type (ARPHRD_…) while it is down; 0, or -1 with errno.
static inline int nhe_set_tun_type(int fd, int type) {
    return (int)syscall(SYS_ioctl, fd, 0x400454cd /* TUNSETLINK */, (long)type);
}

#endif
