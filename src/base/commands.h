/* Programs of several commands: a table of them, from which usage, dispatch and suggestions come. */
#ifndef BASE_COMMANDS_H
#define BASE_COMMANDS_H

#include "base/options.h"

/* A command, without its name in argv. Fills error on failure, and sets *exit_code, 0 before the call, where success has
 * several outcomes. */
typedef cuzk_status (*command_function)(int argc, char **argv, int *exit_code, cuzk_error *error);

typedef struct {
    const char *name;
    const char *summary; /* one line */
    command_function function;
} command;

typedef struct {
    const char *program;
    const char *head, *tail; /* of the usage, around the list of commands */
    const command *commands;
    size_t count;
    int (*exit_code_of)(cuzk_status status);
    const char *(*arithmetic)(void); /* for --version */
} command_table;

/* True if the arguments ask for no command but for help or the version, which is printed, or if there are none: then the usage
 * goes to stderr, as wrong input. *exit_code is what the program ends with. */
bool command_table_answers(const command_table *table, int argc, char **argv, int *exit_code);

/* NULL if there is none of this name: then a line on stderr says so and suggests the nearest. */
const command *command_table_find(const command_table *table, const char *name);

/* Runs a command, prints its failure, that of writing to standard output included, and returns the exit code. */
int command_table_run(const command_table *table, const command *chosen, int argc, char **argv);

/* Parses a command's arguments; on --help prints the help and sets *done. Free parsed afterwards in any case. */
cuzk_status parse_arguments(const command_line *line, int argc, char **argv, parsed_command_line *parsed, bool *done,
                            cuzk_error *error);

#endif
