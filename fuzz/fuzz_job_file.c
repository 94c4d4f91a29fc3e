/* job.json files: any bytes give one error or a job that names a file, which is not there. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "filecoin/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int file = memfd_create("job.json", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        __builtin_trap();
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    cuzk_error error = {0};
    proof_job job;
    if (job_load(&job, path, &error) == CUZK_OK || error.message[0] == 0)
        __builtin_trap();
    close(file);
    return 0;
}
