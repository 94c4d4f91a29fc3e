#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *next_buffer(void) {
    static char buffers[8][4096];
    static unsigned next;
    return buffers[next++ % 8];
}

const char *data_path(const char *name) {
    char *path = next_buffer();
    snprintf(path, 4096, "%s/tests/data/%s", CUZK_SOURCE_DIR, name);
    return path;
}

const char *shared_path(const char *name) {
    char *path = next_buffer();
    const char *shared = getenv("CUZK_SHARED");
    if (shared)
        snprintf(path, 4096, "%s/%s", shared, name);
    else
        snprintf(path, 4096, "%s/../shared/%s", CUZK_SOURCE_DIR, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

uint8_t *read_test_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: cannot open", path);
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)length + 1);
    if (!bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length)
        fail_msg("%s: cannot read", path);
    fclose(file);
    bytes[length] = 0;
    if (size)
        *size = (size_t)length;
    return bytes;
}

uint64_t test_random_u64(test_random *random) {
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void test_random_bytes(test_random *random, void *bytes, size_t count) {
    uint8_t *out = bytes;
    while (count > 0) {
        uint64_t word = test_random_u64(random);
        size_t part = count < 8 ? count : 8;
        memcpy(out, &word, part);
        out += part;
        count -= part;
    }
}
