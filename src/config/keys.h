/* The table of keys, for the three that walk it: parser, documentation, sample. Private to this room. */
#ifndef CONFIG_KEYS_H
#define CONFIG_KEYS_H

#include "config/config.h"

typedef enum {
    KEY_TEXT,         /* char * */
    KEY_BOOLEAN,      /* bool */
    KEY_NUMBER,       /* uint64_t within minimum .. maximum */
    KEY_SIZE,         /* uint64_t bytes within minimum .. maximum: "256MiB" or a plain number */
    KEY_SIZE_OR_AUTO, /* the same, or "auto": 0 */
    KEY_DURATION,     /* uint64_t milliseconds: "5m" */
    KEY_NUMBER_LIST,  /* number_list */
    KEY_ADDRESS,      /* char *: host:port, unix:///path or empty */
    KEY_ADDRESS_LIST, /* text_list: one address, or an array of them; at least one */
    KEY_LOG_LEVEL,    /* log_level */
    KEY_LOG_FORMAT,   /* bool: "text" false, "json" true */
    KEY_STRATEGY,     /* bool: "compact" false, "classic" true */
    KEY_IGNORED       /* accepted for old files, with a warning */
} key_kind;

typedef struct {
    const char *name; /* "daemon.listen" */
    key_kind kind;
    size_t offset; /* of the value in configuration */
    /* As TOML, and the parser's source for the default too; NULL: configuration_defaults asks the environment. */
    const char *default_value;
    const char *default_note; /* instead of default_value in the documentation, or NULL */
    uint64_t minimum, maximum;
    const char *help; /* one or more sentences */
} config_key;

typedef struct {
    const char *name; /* "daemon" */
    const char *help;
} config_table;

extern const config_key CONFIG_KEYS[];
extern const size_t CONFIG_KEY_COUNT;
extern const config_table CONFIG_TABLES[];
extern const size_t CONFIG_TABLE_COUNT;

/* What a value of the kind looks like: "a string", "a size such as \"20GiB\"", ... */
const char *key_kind_expectation(key_kind kind);

#endif
