#include "arguments.h"

#include <stdlib.h>

#include "base/options.h"

typedef struct {
    const char *config_path, *listen, *log_level;
    bool check, sample, documentation, version;
} command_options;

static cuzk_status override_listen(configuration *config, const char *address) {
    text_list_free(&config->daemon.listen);
    text_list_append(&config->daemon.listen, address);
    return CUZK_OK;
}

static cuzk_status apply_overrides(configuration *config, const command_options *options, cuzk_error *error) {
    if (options->listen)
        TRY(override_listen(config, options->listen));
    if (options->log_level && !log_level_parse(options->log_level, &config->logging.level))
        return failure(error, CUZK_BAD_INPUT, "--log-level: found %s, expected trace, debug, info, warn or error",
                       options->log_level);
    return CUZK_OK;
}

static void report_warnings(text_list *warnings, const char *path) {
    for (size_t i = 0; i < warnings->count; i++)
        log_warn("%s: %s", path, warnings->items[i]);
    text_list_free(warnings);
}

static cuzk_status load(daemon_arguments *arguments, const command_options *options, cuzk_error *error) {
    text_list warnings = {0};
    cuzk_status status = configuration_load(&arguments->config, options->config_path, &warnings, error);
    if (status == CUZK_OK) {
        status = apply_overrides(&arguments->config, options, error);
        log_set_level(arguments->config.logging.level);
        log_set_json(arguments->config.logging.json);
        if (status != CUZK_OK)
            configuration_free(&arguments->config);
    }
    report_warnings(&warnings, options->config_path ? options->config_path : "");
    return status;
}

/* True if the options ask for a text rather than for a daemon. */
static bool print_text(const command_options *options) {
    if (options->version)
        puts("cuzk-daemon " CUZK_VERSION);
    else if (options->sample)
        configuration_write_sample(stdout);
    else if (options->documentation)
        configuration_write_documentation(stdout);
    else
        return false;
    return true;
}

cuzk_status daemon_arguments_parse(daemon_arguments *arguments, int argc, char **argv, cuzk_error *error) {
    command_options options = {0};
    const option table[] = {
        {"config", 'c', OPTION_TEXT, &options.config_path, "FILE", "configuration (TOML); without it the defaults hold", 0, 0},
        {"listen", 'l', OPTION_TEXT, &options.listen, "ADDRESS", "gRPC address in place of daemon.listen", 0, 0},
        {"log-level", 0, OPTION_TEXT, &options.log_level, "LEVEL", "in place of logging.level and the environment's", 0, 0},
        {"check-config", 0, OPTION_FLAG, &options.check, NULL, "read the configuration, say what is wrong, and exit", 0, 0},
        {"print-sample-config", 0, OPTION_FLAG, &options.sample, NULL, "print a configuration with every key, and exit", 0, 0},
        {"print-config-documentation", 0, OPTION_FLAG, &options.documentation, NULL, "print docs/configuration.md, and exit", 0,
         0},
        {"version", 'V', OPTION_FLAG, &options.version, NULL, "print the version, and exit", 0, 0},
    };
    const command_line line = {
        .usage = "cuzk-daemon [--config FILE]",
        .summary = "Proves for gRPC clients until SIGTERM. 'cuzk-bench status' asks a running one how it is.",
        .options = table,
        .option_count = sizeof table / sizeof *table,
    };
    parsed_command_line parsed;
    *arguments = (daemon_arguments){0};
    TRY(command_line_parse(&line, argc - 1, argv + 1, &parsed, error));
    bool help = parsed.help;
    parsed_command_line_free(&parsed);
    if (help)
        command_line_help(&line, stdout);
    if (help || print_text(&options))
        return CUZK_OK;
    TRY(load(arguments, &options, error));
    if (options.check) {
        printf("%s: good\n", options.config_path ? options.config_path : "the defaults");
        configuration_free(&arguments->config);
        return CUZK_OK;
    }
    arguments->run = true;
    return CUZK_OK;
}
