/* The one error type. Part of the public C API. */
#ifndef CUZK_ERROR_H
#define CUZK_ERROR_H

/* What kind of failure; cuzk's exit codes and gRPC statuses derive from it. */
typedef enum {
    CUZK_OK = 0,
    CUZK_BAD_INPUT,     /* the caller's data or arguments: file, field, found and expected are in the message */
    CUZK_NOT_FOUND,     /* a file or a registered thing that does not exist */
    CUZK_UNSATISFIED,   /* well-formed input whose witness breaks a constraint */
    CUZK_INPUT_OUTPUT,  /* the operating system failed to read, write or map */
    CUZK_NO_MEMORY,     /* a large buffer could not be had */
    CUZK_CANCELLED,     /* the caller asked to stop */
    CUZK_INTERNAL,      /* a bug of ours, found before it did harm */
    /* Of the engine. */
    CUZK_FAILED_PRECONDITION, /* something that the caller can put there is not, such as a parameter file */
    CUZK_EXHAUSTED,     /* more than a limit allows: queue, budget, journal */
    CUZK_UNAVAILABLE,   /* not now; the same call may succeed later */
    CUZK_DEADLINE       /* a time limit passed */
} cuzk_status;

enum { CUZK_ERROR_CAPACITY = 1024 };

/* Owned by the caller, who sets it to {0}; holds no memory of its own. The message is one line of text without a
 * newline; bytes of foreign input in it are printable ASCII only. */
typedef struct {
    cuzk_status status;
    char message[CUZK_ERROR_CAPACITY];
} cuzk_error;

/* A short English name of a status ("bad input"). Never NULL. */
const char *cuzk_status_name(cuzk_status status);

#endif
