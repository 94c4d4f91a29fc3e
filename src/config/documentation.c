/* docs/configuration.md and the commented sample, both from the table of keys. */
#include <string.h>

#include "config/keys.h"

static bool in_table(const config_key *key, const config_table *table) {
    size_t length = strlen(table->name);
    return strncmp(key->name, table->name, length) == 0 && key->name[length] == '.';
}

static const char *short_name(const config_key *key) { return strchr(key->name, '.') + 1; }

static void write_key_row(FILE *stream, const config_key *key) {
    fprintf(stream, "| `%s` | ", short_name(key));
    if (key->kind == KEY_IGNORED)
        fputs("ignored, with a warning", stream);
    else if (key->default_value && key->default_note)
        fprintf(stream, "`%s`: %s", key->default_value,
                strchr(key->default_note, ':') ? strchr(key->default_note, ':') + 2 : key->default_note);
    else if (key->default_value)
        fprintf(stream, "`%s`", key->default_value);
    else
        fputs(key->default_note, stream);
    fprintf(stream, " | %s |\n", key->help);
}

void configuration_write_documentation(FILE *stream) {
    fputs("# Configuration\n\n"
          "`cuzk-daemon --config FILE` reads TOML. Every key is optional; an unknown key is an error that suggests the nearest "
          "name.\n"
          "`cuzk-daemon --config FILE --check-config` reads the file, says what is wrong with it and exits (0: good, 2: not).\n"
          "`packaging/cuzk-daemon.toml` is a sample with every key. This page and the sample are made from the table in\n"
          "`src/config/keys.c` by `cuzk-daemon --print-config-documentation` and `--print-sample-config`.\n\n"
          "Sizes are written \"512MiB\" or \"20GiB\" (powers of 1024) or as plain bytes, durations \"500ms\", \"30s\", \"5m\", "
          "\"2h\" or \"7d\".\n",
          stream);
    for (size_t t = 0; t < CONFIG_TABLE_COUNT; t++) {
        fprintf(stream, "\n## [%s]\n\n%s\n\n| key | default | meaning |\n| --- | --- | --- |\n", CONFIG_TABLES[t].name,
                CONFIG_TABLES[t].help);
        for (size_t k = 0; k < CONFIG_KEY_COUNT; k++)
            if (in_table(&CONFIG_KEYS[k], &CONFIG_TABLES[t]))
                write_key_row(stream, &CONFIG_KEYS[k]);
    }
    fputs("\n## Environment\n\n| variable | meaning |\n| --- | --- |\n"
          "| `FIL_PROOFS_PARAMETER_CACHE` | default of `srs.param_cache` |\n"
          "| `CUZK_STATE_DIR` | default of `daemon.state_dir` |\n"
          "| `CUZK_LOG`, `RUST_LOG` | log level, over `logging.level`; `CUZK_LOG` counts when both are set |\n"
          "| `CUZK_TIMING` | `1`: log the time of each phase of each partition |\n"
          "| `NOTIFY_SOCKET` | set by systemd: the daemon reports when it is ready and when it stops |\n",
          stream);
}

enum { SAMPLE_COLUMNS = 100 };

/* Wraps text as comment lines. */
static void write_comment(FILE *stream, const char *text) {
    size_t column = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > 0 && column + 1 + length > SAMPLE_COLUMNS) {
            fputc('\n', stream);
            column = 0;
        }
        column += (size_t)fprintf(stream, "%s%.*s", column ? " " : "# ", (int)length, text);
        text += length + (text[length] == ' ');
    }
    fputc('\n', stream);
}

void configuration_write_sample(FILE *stream) {
    fputs("# Configuration of cuzk-daemon. Every key stands here with its default; take the '#' away from those you change.\n",
          stream);
    for (size_t t = 0; t < CONFIG_TABLE_COUNT; t++) {
        fputc('\n', stream);
        write_comment(stream, CONFIG_TABLES[t].help);
        fprintf(stream, "[%s]\n", CONFIG_TABLES[t].name);
        for (size_t k = 0; k < CONFIG_KEY_COUNT; k++) {
            const config_key *key = &CONFIG_KEYS[k];
            if (!in_table(key, &CONFIG_TABLES[t]) || key->kind == KEY_IGNORED)
                continue;
            fputc('\n', stream);
            write_comment(stream, key->help);
            if (key->default_note)
                fprintf(stream, "# %s %s.\n", key->default_value ? "The default," : "Default:", key->default_note);
            fprintf(stream, "#%s = %s\n", short_name(key), key->default_value ? key->default_value : "\"...\"");
        }
    }
}
