#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *cuzk_status_name(cuzk_status status) {
    switch (status) {
    case CUZK_OK: return "ok";
    case CUZK_BAD_INPUT: return "bad input";
    case CUZK_NOT_FOUND: return "not found";
    case CUZK_UNSATISFIED: return "unsatisfied";
    case CUZK_INPUT_OUTPUT: return "input/output";
    case CUZK_NO_MEMORY: return "no memory";
    case CUZK_CANCELLED: return "cancelled";
    case CUZK_INTERNAL: return "internal";
    case CUZK_FAILED_PRECONDITION: return "failed precondition";
    case CUZK_EXHAUSTED: return "exhausted";
    case CUZK_UNAVAILABLE: return "unavailable";
    case CUZK_DEADLINE: return "deadline exceeded";
    }
    return "unknown";
}

/* Messages go to terminals and logs: nothing in them may act on either. */
static void make_printable(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
            *text = '?';
}

static void set_message(cuzk_error *error, cuzk_status status, const char *format, va_list arguments) {
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    make_printable(error->message);
}

cuzk_status failure(cuzk_error *error, cuzk_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        set_message(error, status, format, arguments);
        va_end(arguments);
    }
    return status;
}

cuzk_status failure_errno(cuzk_error *error, cuzk_status status, const char *format, ...) {
    int number = errno;
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        set_message(error, status, format, arguments);
        va_end(arguments);
        size_t length = strlen(error->message);
        snprintf(error->message + length, sizeof error->message - length, ": %s", strerror(number));
    }
    return status;
}

cuzk_status failure_within(cuzk_error *error, cuzk_status status, const char *format, ...) {
    if (!error)
        return status;
    cuzk_error inner = *error;
    va_list arguments;
    va_start(arguments, format);
    set_message(error, inner.status, format, arguments);
    va_end(arguments);
    size_t length = strlen(error->message);
    size_t room = sizeof error->message - length;
    snprintf(error->message + length, room, "%.*s", (int)(room - 1), inner.message);
    return error->status;
}
