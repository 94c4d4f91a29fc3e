#include "support/cancelling_stream.h"

#include <string.h>
#include <sys/types.h>

#include "support/support.h"

/* A phase's last line ends in "core-seconds)". */
static ssize_t write_line(void *cookie, const char *text, size_t size) {
    cancelling_job *c = cookie;
    if (memmem(text, size, "core-seconds)", 13) && --c->phases_left == 0)
        progress_cancel(&c->job);
    return (ssize_t)size;
}

void cancelling_job_create(cancelling_job *c, unsigned phases) {
    FILE *stream = fopencookie(c, "w", (cookie_io_functions_t){.write = write_line});
    assert_non_null(stream);
    progress_init(&c->job, stream);
    c->phases_left = phases;
}
