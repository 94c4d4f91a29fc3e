#include "engine/mapping_guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARDS = 256 };

/* Read by the signal handler: begin is set last and cleared first. */
struct mapping_guard {
    _Atomic uintptr_t begin; /* 0: free */
    _Atomic uintptr_t end;
    atomic_bool damaged;
    bool taken; /* guarded by the mutex */
};

static mapping_guard guards[GUARDS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before;
static uintptr_t page_bytes;

static mapping_guard *guard_of(uintptr_t address) {
    for (size_t i = 0; i < GUARDS; i++) {
        uintptr_t begin = atomic_load(&guards[i].begin);
        if (begin && address >= begin && address < atomic_load(&guards[i].end))
            return &guards[i];
    }
    return NULL;
}

/* mmap is a system call on Linux, without state of its own in libc. */
static void handle(int number, siginfo_t *info, void *context) {
    uintptr_t address = (uintptr_t)info->si_addr;
    mapping_guard *guard = guard_of(address);
    void *page = (void *)(address & ~(page_bytes - 1));
    if (guard && mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) {
        atomic_store(&guard->damaged, true);
        return;
    }
    if ((before.sa_flags & SA_SIGINFO) && before.sa_sigaction) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        signal(SIGBUS, SIG_DFL); /* the access is repeated, and ends the process as it would have */
    }
}

/* Somebody may have set another handler since the last guard: ours goes in front of it. */
static void install(void) {
    struct sigaction current;
    sigaction(SIGBUS, NULL, &current);
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == handle)
        return;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    before = current;
    sigaction(SIGBUS, &action, NULL);
}

mapping_guard *mapping_guard_create(const void *data, size_t length) {
    mapping_guard *guard = NULL;
    pthread_mutex_lock(&mutex);
    install();
    for (size_t i = 0; i < GUARDS && !guard; i++)
        if (!guards[i].taken)
            guard = &guards[i];
    if (guard) {
        guard->taken = true;
        atomic_store(&guard->damaged, false);
        atomic_store(&guard->end, (uintptr_t)data + length);
        atomic_store(&guard->begin, (uintptr_t)data);
    }
    pthread_mutex_unlock(&mutex);
    return guard;
}

void mapping_guard_release(mapping_guard *guard) {
    if (!guard)
        return;
    pthread_mutex_lock(&mutex);
    atomic_store(&guard->begin, 0);
    guard->taken = false;
    pthread_mutex_unlock(&mutex);
}

bool mapping_guard_damaged(const mapping_guard *guard) { return guard && atomic_load(&guard->damaged); }
