#include "base/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void print_usage(const command_table *table, FILE *stream) {
    fputs(table->head, stream);
    for (size_t i = 0; i < table->count; i++)
        fprintf(stream, "  %-12s %s\n", table->commands[i].name, table->commands[i].summary);
    fputs(table->tail, stream);
}

bool command_table_answers(const command_table *table, int argc, char **argv, int *exit_code) {
    *exit_code = 0;
    if (argc < 2) {
        print_usage(table, stderr);
        *exit_code = table->exit_code_of(CUZK_BAD_INPUT);
    } else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(table, stdout);
    } else if (strcmp(argv[1], "--version") == 0) {
        printf("%s " CUZK_VERSION ", arithmetic: %s\n", table->program, table->arithmetic());
    } else {
        return false;
    }
    return true;
}

static void report_unknown(const command_table *table, const char *name) {
    const char **names = allocate(table->count, sizeof *names);
    for (size_t i = 0; i < table->count; i++)
        names[i] = table->commands[i].name;
    const char *near = nearest_name(name, names, table->count);
    if (near)
        fprintf(stderr, "%s: unknown command %s; did you mean %s?\n", table->program, name, near);
    else
        fprintf(stderr, "%s: unknown command %s; '%s --help' lists them\n", table->program, name, table->program);
    free(names);
}

const command *command_table_find(const command_table *table, const char *name) {
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->commands[i].name, name) == 0)
            return &table->commands[i];
    report_unknown(table, name);
    return NULL;
}

int command_table_run(const command_table *table, const command *chosen, int argc, char **argv) {
    cuzk_error error = {0};
    int exit_code = 0;
    cuzk_status status = chosen->function(argc, argv, &exit_code, &error);
    if (status == CUZK_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = failure_errno(&error, CUZK_INPUT_OUTPUT, "standard output");
    if (status == CUZK_OK)
        return exit_code;
    fprintf(stderr, "%s %s: %s\n", table->program, chosen->name, error.message);
    return table->exit_code_of(status);
}

cuzk_status parse_arguments(const command_line *line, int argc, char **argv, parsed_command_line *parsed, bool *done,
                            cuzk_error *error) {
    *done = false;
    TRY(command_line_parse(line, argc, argv, parsed, error));
    if (parsed->help) {
        command_line_help(line, stdout);
        *done = true;
    }
    return CUZK_OK;
}
