#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/json_writer.h"

enum { LINE_CAPACITY = 4096 };

static atomic_int current_level = LOG_INFO;
static atomic_bool json_lines;
static const char *const level_names[] = {"trace", "debug", "info", "warn", "error"};

void log_set_level(log_level level) { atomic_store(&current_level, (int)level); }
void log_set_json(bool json) { atomic_store(&json_lines, json); }
bool log_enabled(log_level level) { return (int)level >= atomic_load(&current_level); }

bool log_level_parse(const char *text, log_level *level) {
    for (int i = 0; i <= LOG_ERROR; i++)
        if (strcasecmp(text, level_names[i]) == 0) {
            *level = (log_level)i;
            return true;
        }
    return false;
}

void log_init_from_environment(void) {
    const char *name = "CUZK_LOG", *value = getenv(name);
    if (!value)
        value = getenv(name = "RUST_LOG");
    if (!value || !*value)
        return;
    char copy[256];
    snprintf(copy, sizeof copy, "%s", value);
    char *position = NULL;
    for (char *part = strtok_r(copy, ",", &position); part; part = strtok_r(NULL, ",", &position)) {
        log_level level;
        if (strchr(part, '='))
            continue;
        if (log_level_parse(part, &level))
            log_set_level(level);
        else
            log_warn("%s: found %s, expected trace, debug, info, warn or error", name, part);
    }
}

static void write_json(FILE *stream, const char *time_text, log_level level, const char *message) {
    json_writer writer;
    json_writer_init(&writer, stream, 0);
    json_begin_object(&writer);
    json_member_string(&writer, "time", time_text);
    json_member_string(&writer, "level", level_names[level]);
    json_member_string(&writer, "message", message);
    json_end_object(&writer);
}

void log_line(log_level level, const char *format, ...) {
    if (!log_enabled(level))
        return;
    char message[LINE_CAPACITY], time_text[40];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
            *c = '?';
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t length = strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(time_text + length, sizeof time_text - length, ".%03ldZ", now.tv_nsec / 1000000);
    flockfile(stderr);
    if (atomic_load(&json_lines))
        write_json(stderr, time_text, level, message);
    else
        fprintf(stderr, "%s %-5s %s\n", time_text, level_names[level], message);
    funlockfile(stderr);
}
