#include "CThreads.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

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
    sem_init(&end, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    int started = 0, code = 0;
    while (started < count && code == 0) {
        code = pthread_create(&threads[started], &attributes, wait_for_end, &end);
        if (code == 0) started++;
    }
    pthread_attr_destroy(&attributes);
    for (int i = 0; i < started; i++) sem_post(&end);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    sem_destroy(&end);
    errno = code;
    return started;
}
