/* The one logger: lines on stderr with a level, as text or JSON. Thread safe: a line is written whole. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

typedef enum { LOG_TRACE, LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR } log_level;

/* Lines below the level are dropped. Default: LOG_INFO, text; log_init_from_environment reads the level from CUZK_LOG, or
 * RUST_LOG (whose "module=level" parts are skipped). An unknown word leaves the default and logs a warning. */
void log_set_level(log_level level);
void log_set_json(bool json);
void log_init_from_environment(void);

/* Parses trace, debug, info, warn, error (either case); false otherwise. */
bool log_level_parse(const char *text, log_level *level);
bool log_enabled(log_level level);

/* printf format, without a newline; control and non-ASCII bytes become '?'. */
void log_line(log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)

#endif
