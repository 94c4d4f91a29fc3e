#include "base/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static const char *kind_of(mode_t mode) {
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a FIFO";
    if (S_ISSOCK(mode))
        return "a socket";
    return "a device";
}

static cuzk_status map_descriptor(mapped_file *file, int descriptor, const char *path, cuzk_error *error) {
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot stat", path);
    if (!S_ISREG(status.st_mode))
        return failure(error, CUZK_BAD_INPUT, "%s: found %s, expected a regular file", path, kind_of(status.st_mode));
    file->size = (uint64_t)status.st_size;
    file->modified_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    if (file->size == 0)
        return CUZK_OK;
    void *data = mmap(NULL, (size_t)file->size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot map %llu bytes", path, (unsigned long long)file->size);
    file->data = data;
    return CUZK_OK;
}

cuzk_status mapped_file_open(mapped_file *file, const char *path, cuzk_error *error) {
    *file = (mapped_file){0};
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return failure_errno(error, errno == ENOENT || errno == ENOTDIR ? CUZK_NOT_FOUND : CUZK_INPUT_OUTPUT, "%s: cannot open", path);
    cuzk_status status = map_descriptor(file, descriptor, path, error);
    close(descriptor);
    return status;
}

void mapped_file_close(mapped_file *file) {
    if (file->data)
        munmap((void *)(uintptr_t)file->data, (size_t)file->size);
    *file = (mapped_file){0};
}

cuzk_status output_file_create(output_file *file, const char *path, cuzk_error *error) {
    *file = (output_file){.path = duplicate_string(path)};
    size_t length = strlen(path);
    file->temporary_path = allocate(length + 32, 1);
    snprintf(file->temporary_path, length + 32, "%s.partial-%ld", path, (long)getpid());
    file->stream = fopen(file->temporary_path, "w+b");
    if (!file->stream) {
        cuzk_status status = failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot write", file->temporary_path);
        output_file_abandon(file);
        return status;
    }
    return CUZK_OK;
}

cuzk_status output_file_commit(output_file *file, cuzk_error *error) {
    bool bad = fflush(file->stream) != 0 || ferror(file->stream) || fsync(fileno(file->stream)) != 0;
    if (bad) {
        cuzk_status status = failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot write", file->temporary_path);
        output_file_abandon(file);
        return status;
    }
    if (rename(file->temporary_path, file->path) != 0) {
        cuzk_status status = failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot rename the finished file to it", file->path);
        output_file_abandon(file);
        return status;
    }
    fclose(file->stream);
    free(file->path);
    free(file->temporary_path);
    *file = (output_file){0};
    return CUZK_OK;
}

void output_file_abandon(output_file *file) {
    if (file->stream) {
        fclose(file->stream);
        unlink(file->temporary_path);
    }
    free(file->path);
    free(file->temporary_path);
    *file = (output_file){0};
}
