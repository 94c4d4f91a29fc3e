/* A stream for a job's progress that cancels the job once a number of phases have been reported. */
#ifndef TESTS_CANCELLING_STREAM_H
#define TESTS_CANCELLING_STREAM_H

#include "base/progress.h"

typedef struct {
    progress job;
    unsigned phases_left; /* until the request to stop */
} cancelling_job;

/* Sets the job up with its stream; close the stream (job.stream) when done. */
void cancelling_job_create(cancelling_job *c, unsigned phases);

#endif
