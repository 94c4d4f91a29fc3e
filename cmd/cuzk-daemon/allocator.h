/* How the daemon wants its memory allocator. */
#ifndef CUZK_DAEMON_ALLOCATOR_H
#define CUZK_DAEMON_ALLOCATOR_H

/* glibc keeps freed memory for each thread. With a thread for each call that adds up to megabytes, which grow for hours. It
 * reads its settings before main, so the program starts itself once more with these caches off, as the same process; where
 * the environment has GLIBC_TUNABLES already, or that fails, it goes on as it is. Call first in main. */
void allocator_without_thread_caches(char **argv);

#endif
