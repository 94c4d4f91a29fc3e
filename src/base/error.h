/* Failing with context. A function that can fail returns cuzk_status and takes a cuzk_error as its last parameter;
 * it fills the error exactly when it returns something other than CUZK_OK. Our own bugs are assertions, not errors. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "cuzk/error.h"

/* Sets status and message (printf format; cut at the capacity; control and non-ASCII bytes become '?') and returns
 * status. error may be NULL: then only the status is returned. */
cuzk_status failure(cuzk_error *error, cuzk_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Like failure, and appends ": " and the text of errno. */
cuzk_status failure_errno(cuzk_error *error, cuzk_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts text in front of an existing message ("c1.json: " + ...) and returns error->status (status if error is NULL). */
cuzk_status failure_within(cuzk_error *error, cuzk_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Returns the status of expression from the current function unless it is CUZK_OK. */
#define TRY(expression)                            \
    do {                                           \
        cuzk_status try_status_ = (expression);    \
        if (try_status_ != CUZK_OK)                \
            return try_status_;                    \
    } while (0)

#endif
