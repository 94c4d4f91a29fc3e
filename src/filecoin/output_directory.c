#include "filecoin/output_directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mapped_file.h"
#include "base/memory.h"

static cuzk_status create_one(const char *path, cuzk_error *error) {
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return CUZK_OK;
    if (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return CUZK_OK;
    return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot create the directory", path);
}

cuzk_status output_directory_create(const char *path, cuzk_error *error) {
    char *copy = duplicate_string(path);
    cuzk_status status = CUZK_OK;
    for (char *slash = copy[0] ? strchr(copy + 1, '/') : NULL; slash && status == CUZK_OK; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = create_one(copy, error);
        *slash = '/';
    }
    free(copy);
    return status == CUZK_OK ? create_one(path, error) : status;
}

char *path_join(const char *directory, const char *name) {
    size_t length = strlen(directory) + strlen(name) + 2;
    char *path = allocate(length, 1);
    snprintf(path, length, "%s/%s", directory, name);
    return path;
}

cuzk_status write_whole_file(const char *directory, const char *name, const void *bytes, size_t count, cuzk_error *error) {
    char *path = path_join(directory, name);
    output_file file;
    cuzk_status status = output_file_create(&file, path, error);
    if (status == CUZK_OK) {
        fwrite(bytes, 1, count, file.stream); /* a failure stays in the stream until the commit */
        status = output_file_commit(&file, error);
    }
    free(path);
    return status;
}
