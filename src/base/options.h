/* The one option parser: a table describes a command's options; parsing, --help and suggestions come from it. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef enum {
    OPTION_FLAG,     /* bool: present or not */
    OPTION_TEXT,     /* const char *: the argument itself, valid as long as argv */
    OPTION_NUMBER,   /* uint64_t: decimal, within minimum .. maximum */
    OPTION_BYTES     /* uint64_t: a size such as 512MiB or 20GiB (parse_byte_size) */
} option_kind;

typedef struct {
    const char *name; /* without the dashes */
    char letter;      /* short form, or 0 */
    option_kind kind;
    void *target;            /* of the kind's type; its value before parsing is the default */
    const char *placeholder; /* name of the value in --help; NULL for flags */
    const char *help;        /* one line */
    uint64_t minimum, maximum; /* OPTION_NUMBER; maximum 0: no bound */
} option;

typedef struct {
    const char *usage; /* "cuzk prove JOB.json --params DIR --out FILE" */
    const char *summary;
    const char *example; /* a command line that runs as printed in the source folder, or NULL */
    const option *options;
    size_t option_count;
    size_t positional_minimum, positional_maximum;
} command_line;

typedef struct {
    const char **positional; /* owned; the strings are argv's */
    size_t positional_count;
    bool help; /* --help or -h was among the arguments; nothing else was checked then */
} parsed_command_line;

/* Parses argv[0 .. argc-1] (without the program's and the command's name): --name value, --name=value, -n value,
 * "--" ends the options. Unknown, repeated or incomplete options and a wrong number of arguments are CUZK_BAD_INPUT;
 * the message suggests the nearest name, and without any argument the example. Free with parsed_command_line_free. */
cuzk_status command_line_parse(const command_line *command, int argc, char **argv, parsed_command_line *parsed, cuzk_error *error);
void parsed_command_line_free(parsed_command_line *parsed);

/* Usage, summary and one line for each option. */
void command_line_help(const command_line *command, FILE *stream);

/* The name nearest to `wrong` among count names, or NULL if none is near. */
const char *nearest_name(const char *wrong, const char *const *names, size_t count);

/* Reads "2KiB", "512 MiB", "20GiB", "1TiB" or plain bytes; case does not matter; false if it is anything else or
 * exceeds 64 bits. */
bool parse_byte_size(const char *text, uint64_t *bytes);

/* Reads a decimal number and nothing else; false otherwise. */
bool parse_unsigned(const char *text, uint64_t *value);

#endif
