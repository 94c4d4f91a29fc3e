#include "base/options.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

bool parse_unsigned(const char *text, uint64_t *value) {
    uint64_t result = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        if (__builtin_mul_overflow(result, 10, &result) || __builtin_add_overflow(result, (uint64_t)(*text - '0'), &result))
            return false;
    }
    *value = result;
    return true;
}

bool parse_byte_size(const char *text, uint64_t *bytes) {
    static const struct {
        const char *name;
        unsigned shift;
    } units[] = {{"", 0}, {"b", 0}, {"kib", 10}, {"mib", 20}, {"gib", 30}, {"tib", 40}};
    char digits[24];
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = 0;
    uint64_t value;
    if (!parse_unsigned(digits, &value))
        return false;
    text += length;
    while (*text == ' ')
        text++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcasecmp(text, units[i].name) == 0) {
            *bytes = value << units[i].shift;
            return *bytes >> units[i].shift == value;
        }
    }
    return false;
}

enum { LONGEST_NAME = 40 };

/* Levenshtein distance; names longer than LONGEST_NAME are far from everything. */
static size_t edit_distance(const char *a, const char *b) {
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a > LONGEST_NAME || length_b > LONGEST_NAME)
        return LONGEST_NAME;
    size_t row[LONGEST_NAME + 1];
    for (size_t j = 0; j <= length_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t above = row[j];
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best)
                best = above + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[length_b];
}

const char *nearest_name(const char *wrong, const char *const *names, size_t count) {
    const char *best = NULL;
    size_t best_distance = strlen(wrong) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(wrong, names[i]);
        if (distance < best_distance) {
            best_distance = distance;
            best = names[i];
        }
    }
    return best;
}

static const option *find_option(const command_line *command, const char *name, size_t length) {
    for (size_t i = 0; i < command->option_count; i++)
        if (strlen(command->options[i].name) == length && memcmp(command->options[i].name, name, length) == 0)
            return &command->options[i];
    return NULL;
}

static const option *find_letter(const command_line *command, char letter) {
    for (size_t i = 0; i < command->option_count; i++)
        if (command->options[i].letter == letter)
            return &command->options[i];
    return NULL;
}

static cuzk_status unknown_option(const command_line *command, const char *argument, cuzk_error *error) {
    char name[LONGEST_NAME + 1];
    const char *start = argument + strspn(argument, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
    const char **names = allocate(command->option_count, sizeof *names);
    for (size_t i = 0; i < command->option_count; i++)
        names[i] = command->options[i].name;
    const char *near = nearest_name(name, names, command->option_count);
    free(names);
    if (near)
        return failure(error, CUZK_BAD_INPUT, "unknown option %s; did you mean --%s?", argument, near);
    return failure(error, CUZK_BAD_INPUT, "unknown option %s; see --help", argument);
}

static cuzk_status set_value(const option *o, const char *value, cuzk_error *error) {
    uint64_t number = 0;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->target = true;
        return CUZK_OK;
    case OPTION_TEXT:
        *(const char **)o->target = value;
        return CUZK_OK;
    case OPTION_NUMBER:
        if (!parse_unsigned(value, &number) || number < o->minimum || (o->maximum && number > o->maximum)) {
            if (o->maximum)
                return failure(error, CUZK_BAD_INPUT, "--%s: found %s, expected a number from %llu to %llu", o->name, value,
                               (unsigned long long)o->minimum, (unsigned long long)o->maximum);
            return failure(error, CUZK_BAD_INPUT, "--%s: found %s, expected a number of at least %llu", o->name, value,
                           (unsigned long long)o->minimum);
        }
        break;
    case OPTION_BYTES:
        if (!parse_byte_size(value, &number))
            return failure(error, CUZK_BAD_INPUT, "--%s: found %s, expected a size such as 2KiB, 512MiB or 32GiB", o->name, value);
        break;
    }
    *(uint64_t *)o->target = number;
    return CUZK_OK;
}

/* Handles argv[*at], which begins with '-', and moves *at over its value. */
static cuzk_status parse_option(const command_line *command, int argc, char **argv, int *at, bool *seen, cuzk_error *error) {
    const char *argument = argv[*at];
    const option *o;
    const char *value = NULL;
    if (argument[1] == '-') {
        size_t length = strcspn(argument + 2, "=");
        o = find_option(command, argument + 2, length);
        if (argument[2 + length] == '=')
            value = argument + 3 + length;
    } else {
        o = argument[2] == 0 ? find_letter(command, argument[1]) : NULL;
    }
    if (!o)
        return unknown_option(command, argument, error);
    size_t index = (size_t)(o - command->options);
    if (seen[index])
        return failure(error, CUZK_BAD_INPUT, "--%s is given twice", o->name);
    seen[index] = true;
    if (o->kind == OPTION_FLAG) {
        if (value)
            return failure(error, CUZK_BAD_INPUT, "--%s: found =%s, expected no value", o->name, value);
    } else if (!value) {
        if (*at + 1 >= argc)
            return failure(error, CUZK_BAD_INPUT, "--%s: found nothing, expected %s", o->name, o->placeholder);
        value = argv[++*at];
    }
    return set_value(o, value, error);
}

cuzk_status command_line_parse(const command_line *command, int argc, char **argv, parsed_command_line *parsed, cuzk_error *error) {
    *parsed = (parsed_command_line){.positional = allocate((size_t)argc + 1, sizeof(char *))};
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            parsed->help = true;
            return CUZK_OK;
        }
    bool *seen = allocate_zeroed(command->option_count + 1, sizeof *seen);
    bool options_ended = false;
    cuzk_status status = CUZK_OK;
    for (int i = 0; i < argc && status == CUZK_OK; i++) {
        if (!options_ended && strcmp(argv[i], "--") == 0)
            options_ended = true;
        else if (!options_ended && argv[i][0] == '-' && argv[i][1] != 0)
            status = parse_option(command, argc, argv, &i, seen, error);
        else
            parsed->positional[parsed->positional_count++] = argv[i];
    }
    free(seen);
    bool example = argc == 0 && command->example;
    if (status == CUZK_OK &&
        (parsed->positional_count < command->positional_minimum || parsed->positional_count > command->positional_maximum))
        status = failure(error, CUZK_BAD_INPUT, "found %zu arguments; usage: %s%s%s", parsed->positional_count, command->usage,
                         example ? "; for example: " : "", example ? command->example : "");
    if (status != CUZK_OK)
        parsed_command_line_free(parsed);
    return status;
}

void parsed_command_line_free(parsed_command_line *parsed) {
    free(parsed->positional);
    *parsed = (parsed_command_line){0};
}

void command_line_help(const command_line *command, FILE *stream) {
    fprintf(stream, "usage: %s\n\n%s\n", command->usage, command->summary);
    if (command->example)
        fprintf(stream, "\nexample:\n  %s\n", command->example);
    if (command->option_count)
        fputs("\noptions:\n", stream);
    for (size_t i = 0; i < command->option_count; i++) {
        const option *o = &command->options[i];
        char left[64], letter[8] = "";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->placeholder ? " " : "", o->placeholder ? o->placeholder : "");
        fprintf(stream, "  %-28s %s\n", left, o->help);
    }
}
