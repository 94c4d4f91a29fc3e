/* TOML files as a flat list of keys. The parser is toml++, a C++ library: src/config/toml.cpp is the one C++ file. */
#ifndef CONFIG_TOML_H
#define CONFIG_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"

typedef enum {
    TOML_TEXT,    /* a string */
    TOML_INTEGER, /* 64 bits, signed */
    TOML_BOOLEAN,
    TOML_ARRAY, /* elements, themselves TOML_TEXT, TOML_INTEGER, TOML_BOOLEAN or TOML_OTHER */
    TOML_TABLE, /* [a.b]: its members follow as entries of their own, with keys a.b.NAME */
    TOML_OTHER  /* floats, dates and times, and what is nested inside an array */
} toml_kind;

typedef struct toml_entry toml_entry;
struct toml_entry {
    char *key;     /* dotted: "daemon.listen"; NULL for an array's element */
    uint32_t line; /* where the value stands, from 1 */
    toml_kind kind;
    char *text; /* TOML_TEXT: never holds a NUL inside (such a string is an error of toml_parse) */
    int64_t integer;
    bool boolean;
    toml_entry *elements; /* TOML_ARRAY */
    size_t element_count;
};

/* Keys in the order of their lines. */
typedef struct {
    toml_entry *entries;
    size_t count;
} toml_document;

/* Parses length bytes of TOML 1.0. A syntax error is CUZK_BAD_INPUT: "line 3, column 7: ...". Free the document, also
 * after a failure, with toml_document_free. */
cuzk_status toml_parse(toml_document *document, const char *text, size_t length, cuzk_error *error);
void toml_document_free(toml_document *document);

/* "a string", "an integer", ... for messages. */
const char *toml_kind_name(toml_kind kind);

#ifdef __cplusplus
}
#endif

#endif
