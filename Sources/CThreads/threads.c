#include "CThreads.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/mman.h>

enum { LIMIT = 1024, STACK = 128 * 1024 };

static void *wait_for_end(void *end) {
    while (sem_wait(end) != 0) continue;
    return NULL;
}

int nhe_try_threads(int count) {
    pthread_t threads[LIMIT];
    pthread_attr_t attributes;
    sem_t end;
    if (count > LIMIT) count = LIMIT;
    // Stacks of glibc's would stay in its cache, with two pages of each in use, as no later thread asks for such small ones.
    size_t size = (size_t)count * STACK;
    char *stacks = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stacks == MAP_FAILED) return 0;
    sem_init(&end, 0, 0);
    pthread_attr_init(&attributes);
    int started = 0, code = 0;
    while (started < count && code == 0) {
        pthread_attr_setstack(&attributes, stacks + (size_t)started * STACK, STACK);
        code = pthread_create(&threads[started], &attributes, wait_for_end, &end);
        if (code == 0) started++;
    }
    pthread_attr_destroy(&attributes);
    for (int i = 0; i < started; i++) sem_post(&end);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    sem_destroy(&end);
    munmap(stacks, size);
    errno = code;
    return started;
}
