#include "base/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"

static cuzk_status open_nameless(scratch_file *file, cuzk_error *error) {
    static const char name[] = "/cuzk-scratch-XXXXXX";
    size_t length = strlen(file->directory);
    char *path = allocate(length + sizeof name, 1);
    memcpy(path, file->directory, length);
    memcpy(path + length, name, sizeof name);
    file->descriptor = mkostemp(path, O_CLOEXEC);
    cuzk_status status = CUZK_OK;
    if (file->descriptor < 0)
        status = failure_errno(error, errno == ENOENT || errno == ENOTDIR ? CUZK_NOT_FOUND : CUZK_INPUT_OUTPUT,
                               "%s: cannot make a scratch file there", file->directory);
    else if (unlink(path) != 0)
        status = failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot remove the scratch file's name", path);
    free(path);
    return status;
}

static cuzk_status no_room(const scratch_file *file, cuzk_error *error) {
    struct statvfs disk;
    uint64_t available = fstatvfs(file->descriptor, &disk) == 0 ? (uint64_t)disk.f_bavail * disk.f_frsize : 0;
    return failure(error, CUZK_INPUT_OUTPUT, "%s: found %llu bytes free, expected %llu for a scratch file", file->directory,
                   (unsigned long long)available, (unsigned long long)file->bytes);
}

static cuzk_status reserve(const scratch_file *file, cuzk_error *error) {
    /* Growing past the limit would raise a signal. */
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < file->bytes)
        return failure(error, CUZK_INPUT_OUTPUT,
                       "%s: found a limit of %llu bytes for a file (ulimit -f), expected %llu for a scratch file",
                       file->directory, (unsigned long long)limit.rlim_cur, (unsigned long long)file->bytes);
    int result;
    do
        result = fallocate(file->descriptor, 0, 0, (off_t)file->bytes);
    while (result != 0 && errno == EINTR);
    if (result == 0)
        return CUZK_OK;
    if (errno == ENOSPC)
        return no_room(file, error);
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot reserve %llu bytes for a scratch file", file->directory,
                             (unsigned long long)file->bytes);
    if (ftruncate(file->descriptor, (off_t)file->bytes) != 0)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot make a scratch file of %llu bytes", file->directory,
                             (unsigned long long)file->bytes);
    return CUZK_OK;
}

cuzk_status scratch_file_create(scratch_file *file, const char *directory, uint64_t bytes, cuzk_error *error) {
    *file = (scratch_file){.directory = duplicate_string(directory), .descriptor = -1, .bytes = bytes};
    cuzk_status status = open_nameless(file, error);
    if (status == CUZK_OK && bytes > 0)
        status = reserve(file, error);
    if (status != CUZK_OK)
        scratch_file_close(file);
    return status;
}

void scratch_file_close(scratch_file *file) {
    if (!file->directory)
        return;
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->directory);
    *file = (scratch_file){0};
}

cuzk_status scratch_file_read(scratch_file *file, uint64_t offset, void *data, size_t bytes, cuzk_error *error) {
    for (size_t done = 0; done < bytes;) {
        uint64_t at = offset + done;
        ssize_t count = pread(file->descriptor, (uint8_t *)data + done, bytes - done, (off_t)at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot read the scratch file", file->directory);
        if (count == 0)
            return failure(error, CUZK_INPUT_OUTPUT, "%s: the scratch file ends at byte %llu, expected %llu bytes",
                           file->directory, (unsigned long long)at, (unsigned long long)file->bytes);
        done += (size_t)count;
    }
    atomic_fetch_add(&file->bytes_read, bytes);
    return CUZK_OK;
}

cuzk_status scratch_file_write(scratch_file *file, uint64_t offset, const void *data, size_t bytes, cuzk_error *error) {
    for (size_t done = 0; done < bytes;) {
        ssize_t count = pwrite(file->descriptor, (const uint8_t *)data + done, bytes - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot write the scratch file", file->directory);
        done += (size_t)count;
    }
    atomic_fetch_add(&file->bytes_written, bytes);
    return CUZK_OK;
}

void scratch_file_expect(const scratch_file *file, uint64_t offset, size_t bytes) {
    enum { STEP = 128 << 10 }; /* Linux starts no more than a device's read-ahead for one call */
    for (size_t done = 0; done < bytes; done += STEP) {
        size_t step = bytes - done < STEP ? bytes - done : STEP;
        posix_fadvise(file->descriptor, (off_t)(offset + done), (off_t)step, POSIX_FADV_WILLNEED);
    }
}
