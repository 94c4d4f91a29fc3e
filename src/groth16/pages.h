/* Pages of a mapped file that have been read. */
#ifndef GROTH16_PAGES_H
#define GROTH16_PAGES_H

#include <stdint.h>

/* Tells the kernel that bytes inside a shared, read-only file mapping have been read: the whole pages among them leave the
 * process but stay in the page cache, and come back when they are read again. Other readers are not disturbed. */
void pages_release(const uint8_t *begin, uint64_t bytes);

#endif
