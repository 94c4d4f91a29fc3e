#include "support/scratch.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/support.h"

static char folder[256];

int scratch_create(void **state) {
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/cuzk-test-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static bool is_entry(const struct dirent *entry) { return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0; }

static void empty_folder(const char *path) {
    DIR *stream = opendir(path);
    if (!stream)
        return;
    for (struct dirent *entry; (entry = readdir(stream));) {
        char child[1024];
        if (!is_entry(entry))
            continue;
        snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        if (unlink(child) != 0) {
            empty_folder(child);
            rmdir(child);
        }
    }
    closedir(stream);
}

int scratch_remove(void **state) {
    (void)state;
    empty_folder(folder);
    return rmdir(folder);
}

const char *scratch_path(const char *name) {
    static char buffers[8][512];
    static unsigned next;
    char *path = buffers[next++ % 8];
    snprintf(path, sizeof buffers[0], "%s/%s", folder, name);
    return path;
}

void scratch_write(const char *path, const uint8_t *bytes, size_t size) {
    unlink(path); /* some file systems write a file through that replaces its old contents */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

size_t scratch_count(void) {
    size_t count = 0;
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));)
        count += is_entry(entry);
    closedir(stream);
    return count;
}
