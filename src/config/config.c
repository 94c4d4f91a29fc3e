#include "config/config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mapped_file.h"
#include "base/memory.h"
#include "base/options.h"
#include "config/address.h"
#include "config/keys.h"
#include "config/toml.h"

enum { MAX_FILE_BYTES = 1 << 20, MAX_LIST = 64 };

void text_list_append(text_list *list, const char *text) {
    list->items = reallocate(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = duplicate_string(text);
}

void text_list_free(text_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (text_list){0};
}

bool parse_duration(const char *text, uint64_t *milliseconds) {
    static const struct {
        const char *name;
        uint64_t milliseconds;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
    char digits[24];
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = 0;
    uint64_t number;
    if (!parse_unsigned(digits, &number))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text + length, units[i].name) == 0)
            return !__builtin_mul_overflow(number, units[i].milliseconds, milliseconds);
    return false;
}

static void *value_at(configuration *config, const config_key *key) { return (char *)config + key->offset; }

static void replace_text(char **text, const char *value) {
    free(*text);
    *text = duplicate_string(value);
}

/* What was found, for a message: texts in quotes, cut at a sensible length. */
static const char *describe(char *buffer, size_t capacity, const toml_entry *entry) {
    switch (entry->kind) {
    case TOML_TEXT: snprintf(buffer, capacity, "\"%.100s\"", entry->text); break;
    case TOML_INTEGER: snprintf(buffer, capacity, "%lld", (long long)entry->integer); break;
    case TOML_BOOLEAN: snprintf(buffer, capacity, "%s", entry->boolean ? "true" : "false"); break;
    case TOML_ARRAY:
    case TOML_TABLE:
    case TOML_OTHER: snprintf(buffer, capacity, "%s", toml_kind_name(entry->kind)); break;
    }
    return buffer;
}

static cuzk_status wrong_value(const config_key *key, const toml_entry *found, cuzk_error *error) {
    char buffer[128];
    if (key->kind == KEY_NUMBER || key->kind == KEY_NUMBER_LIST)
        return failure(error, CUZK_BAD_INPUT, "%s: found %s, expected %s from %llu to %llu", key->name,
                       describe(buffer, sizeof buffer, found), key_kind_expectation(key->kind), (unsigned long long)key->minimum,
                       (unsigned long long)key->maximum);
    return failure(error, CUZK_BAD_INPUT, "%s: found %s, expected %s", key->name, describe(buffer, sizeof buffer, found),
                   key_kind_expectation(key->kind));
}

static cuzk_status read_number(uint64_t *number, const config_key *key, const toml_entry *entry, cuzk_error *error) {
    if (entry->kind != TOML_INTEGER || entry->integer < 0 || (uint64_t)entry->integer < key->minimum ||
        (uint64_t)entry->integer > key->maximum)
        return wrong_value(key, entry, error);
    *number = (uint64_t)entry->integer;
    return CUZK_OK;
}

static cuzk_status read_size(uint64_t *bytes, const config_key *key, const toml_entry *entry, cuzk_error *error) {
    if (key->kind == KEY_SIZE_OR_AUTO && entry->kind == TOML_TEXT && strcasecmp(entry->text, "auto") == 0) {
        *bytes = 0;
        return CUZK_OK;
    }
    uint64_t number = 0;
    if (entry->kind == TOML_INTEGER && entry->integer >= 0)
        number = (uint64_t)entry->integer;
    else if (entry->kind != TOML_TEXT || !parse_byte_size(entry->text, &number))
        return wrong_value(key, entry, error);
    if (number < key->minimum || number > key->maximum)
        return failure(error, CUZK_BAD_INPUT, "%s: found %llu bytes, expected from %llu to %llu", key->name,
                       (unsigned long long)number, (unsigned long long)key->minimum, (unsigned long long)key->maximum);
    *bytes = number;
    return CUZK_OK;
}

static cuzk_status check_address(const config_key *key, const toml_entry *entry, cuzk_error *error) {
    socket_address ignored;
    if (entry->kind != TOML_TEXT)
        return wrong_value(key, entry, error);
    if (parse_listen_address(&ignored, entry->text, error) != CUZK_OK)
        return failure_within(error, CUZK_BAD_INPUT, "%s: ", key->name);
    return CUZK_OK;
}

static cuzk_status read_address_list(text_list *list, const config_key *key, const toml_entry *entry, cuzk_error *error) {
    const toml_entry *elements = entry->kind == TOML_ARRAY ? entry->elements : entry;
    size_t count = entry->kind == TOML_ARRAY ? entry->element_count : 1;
    if (count == 0 || count > MAX_LIST)
        return failure(error, CUZK_BAD_INPUT, "%s: found %zu addresses, expected 1 to %d", key->name, count, MAX_LIST);
    text_list_free(list);
    for (size_t i = 0; i < count; i++) {
        TRY(check_address(key, &elements[i], error));
        text_list_append(list, elements[i].text);
    }
    return CUZK_OK;
}

static cuzk_status read_number_list(number_list *list, const config_key *key, const toml_entry *entry, cuzk_error *error) {
    if (entry->kind != TOML_ARRAY || entry->element_count > MAX_LIST)
        return wrong_value(key, entry, error);
    free(list->items);
    *list = (number_list){.items = allocate(entry->element_count, sizeof *list->items)};
    for (size_t i = 0; i < entry->element_count; i++) {
        uint64_t number = 0;
        TRY(read_number(&number, key, &entry->elements[i], error));
        list->items[list->count++] = (uint32_t)number;
    }
    return CUZK_OK;
}

/* One of two words; false if it is neither. */
static bool read_choice(bool *value, const toml_entry *entry, const char *no, const char *yes) {
    *value = entry->kind == TOML_TEXT && strcmp(entry->text, yes) == 0;
    return *value || (entry->kind == TOML_TEXT && strcmp(entry->text, no) == 0);
}

static cuzk_status read_value(configuration *config, const config_key *key, const toml_entry *entry, cuzk_error *error) {
    void *value = value_at(config, key);
    switch (key->kind) {
    case KEY_TEXT:
        if (entry->kind != TOML_TEXT)
            break;
        replace_text(value, entry->text);
        return CUZK_OK;
    case KEY_BOOLEAN:
        if (entry->kind != TOML_BOOLEAN)
            break;
        *(bool *)value = entry->boolean;
        return CUZK_OK;
    case KEY_NUMBER: return read_number(value, key, entry, error);
    case KEY_SIZE:
    case KEY_SIZE_OR_AUTO: return read_size(value, key, entry, error);
    case KEY_DURATION:
        if (entry->kind != TOML_TEXT || !parse_duration(entry->text, value))
            break;
        return CUZK_OK;
    case KEY_NUMBER_LIST: return read_number_list(value, key, entry, error);
    case KEY_ADDRESS:
        if (entry->kind != TOML_TEXT || *entry->text)
            TRY(check_address(key, entry, error));
        replace_text(value, entry->text);
        return CUZK_OK;
    case KEY_ADDRESS_LIST: return read_address_list(value, key, entry, error);
    case KEY_LOG_LEVEL:
        if (entry->kind != TOML_TEXT || !log_level_parse(entry->text, value))
            break;
        return CUZK_OK;
    case KEY_LOG_FORMAT:
        if (!read_choice(value, entry, "text", "json"))
            break;
        return CUZK_OK;
    case KEY_STRATEGY:
        if (!read_choice(value, entry, "compact", "classic"))
            break;
        return CUZK_OK;
    case KEY_IGNORED: return CUZK_OK;
    }
    return wrong_value(key, entry, error);
}

static char *joined(const char *directory, const char *name) {
    size_t capacity = strlen(directory) + strlen(name) + 2;
    char *path = allocate(capacity, 1);
    snprintf(path, capacity, "%s/%s", directory, name);
    return path;
}

static const char *environment(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static char *default_state_directory(void) {
    const char *value = environment("CUZK_STATE_DIR");
    if (value)
        return duplicate_string(value);
    value = environment("XDG_STATE_HOME");
    if (value && *value == '/') /* the XDG specification: a relative path is to be ignored */
        return joined(value, "cuzk");
    value = environment("HOME");
    return value ? joined(value, ".local/state/cuzk") : duplicate_string("/var/lib/cuzk");
}

static void environment_defaults(configuration *config) {
    const char *cache = environment("FIL_PROOFS_PARAMETER_CACHE");
    replace_text(&config->srs.param_cache, cache ? cache : "/var/tmp/filecoin-proof-parameters");
    config->srs.param_cache_origin = cache ? "FIL_PROOFS_PARAMETER_CACHE" : "the default";
    free(config->daemon.state_dir);
    config->daemon.state_dir = default_state_directory();
}

/* The environment's word on the level; unknown words are log_init_from_environment's to report. */
static void override_log_level(configuration *config) {
    const char *value = environment("CUZK_LOG");
    if (!value)
        value = environment("RUST_LOG");
    if (!value)
        return;
    char copy[256], *position = NULL;
    snprintf(copy, sizeof copy, "%s", value);
    for (char *part = strtok_r(copy, ",", &position); part; part = strtok_r(NULL, ",", &position))
        log_level_parse(part, &config->logging.level);
}

/* The defaults stand in the table as TOML: they go through the same code as a file. */
static void table_defaults(configuration *config) {
    *config = (configuration){0};
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        const config_key *key = &CONFIG_KEYS[i];
        if (!key->default_value || key->kind == KEY_IGNORED)
            continue;
        char line[256];
        cuzk_error error = {0};
        toml_document document;
        int length = snprintf(line, sizeof line, "x = %s", key->default_value);
        cuzk_status status = toml_parse(&document, line, (size_t)length, &error);
        if (status == CUZK_OK)
            status = read_value(config, key, &document.entries[0], &error);
        toml_document_free(&document);
        if (status != CUZK_OK) {
            fprintf(stderr, "cuzk: default of %s: %s\n", key->name, error.message);
            abort();
        }
    }
    environment_defaults(config);
}

void configuration_defaults(configuration *config) {
    table_defaults(config);
    override_log_level(config);
}

void configuration_free(configuration *config) {
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        const config_key *key = &CONFIG_KEYS[i];
        void *value = value_at(config, key);
        if (key->kind == KEY_TEXT || key->kind == KEY_ADDRESS)
            free(*(char **)value);
        else if (key->kind == KEY_ADDRESS_LIST)
            text_list_free(value);
        else if (key->kind == KEY_NUMBER_LIST)
            free(((number_list *)value)->items);
    }
    *config = (configuration){0};
}

static const config_key *find_key(const char *name) {
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++)
        if (strcmp(CONFIG_KEYS[i].name, name) == 0)
            return &CONFIG_KEYS[i];
    return NULL;
}

static bool is_table(const char *name) {
    for (size_t i = 0; i < CONFIG_TABLE_COUNT; i++)
        if (strcmp(CONFIG_TABLES[i].name, name) == 0)
            return true;
    return false;
}

static cuzk_status unknown_key(const toml_entry *entry, cuzk_error *error) {
    const char **names = allocate(CONFIG_KEY_COUNT + CONFIG_TABLE_COUNT, sizeof *names);
    size_t count = 0;
    bool table = entry->kind == TOML_TABLE;
    for (size_t i = 0; !table && i < CONFIG_KEY_COUNT; i++)
        names[count++] = CONFIG_KEYS[i].name;
    for (size_t i = 0; table && i < CONFIG_TABLE_COUNT; i++)
        names[count++] = CONFIG_TABLES[i].name;
    const char *near = nearest_name(entry->key, names, count);
    free(names);
    const char *what = table ? "table" : "key";
    if (near)
        return failure(error, CUZK_BAD_INPUT, "unknown %s %.100s; did you mean %s?", what, entry->key, near);
    return failure(error, CUZK_BAD_INPUT, "unknown %s %.100s; docs/configuration.md lists them", what, entry->key);
}

static cuzk_status apply_entry(configuration *config, const toml_entry *entry, text_list *warnings, cuzk_error *error) {
    if (entry->kind == TOML_TABLE && is_table(entry->key))
        return CUZK_OK;
    const config_key *key = find_key(entry->key);
    if (!key)
        return unknown_key(entry, error);
    if (key->kind == KEY_IGNORED && warnings) {
        char line[256];
        snprintf(line, sizeof line, "line %u: %s is ignored. %s", (unsigned)entry->line, key->name, key->help);
        text_list_append(warnings, line);
    }
    TRY(read_value(config, key, entry, error));
    if (strcmp(key->name, "srs.param_cache") == 0)
        config->srs.param_cache_origin = key->name;
    return CUZK_OK;
}

static cuzk_status check_together(const configuration *config, cuzk_error *error) {
    bool certificate = *config->daemon.tls_certificate, key = *config->daemon.tls_key;
    if (certificate != key)
        return failure(error, CUZK_BAD_INPUT, "%s: found empty, expected a file as %s is set",
                       certificate ? "daemon.tls_key" : "daemon.tls_certificate",
                       certificate ? "daemon.tls_certificate" : "daemon.tls_key");
    if (*config->daemon.tls_client_ca && !certificate)
        return failure(error, CUZK_BAD_INPUT, "daemon.tls_client_ca: set without daemon.tls_certificate and daemon.tls_key");
    if (!*config->daemon.state_dir)
        return failure(error, CUZK_BAD_INPUT, "daemon.state_dir: found empty, expected a directory");
    if (!*config->srs.param_cache)
        return failure(error, CUZK_BAD_INPUT, "srs.param_cache: found empty, expected a directory");
    return CUZK_OK;
}

static cuzk_status apply_document(configuration *config, const toml_document *document, const char *name, text_list *warnings,
                                  cuzk_error *error) {
    for (size_t i = 0; i < document->count; i++)
        if (apply_entry(config, &document->entries[i], warnings, error) != CUZK_OK)
            return failure_within(error, CUZK_BAD_INPUT, "%s: line %u: ", name, (unsigned)document->entries[i].line);
    if (check_together(config, error) != CUZK_OK)
        return failure_within(error, CUZK_BAD_INPUT, "%s: ", name);
    return CUZK_OK;
}

cuzk_status configuration_parse(configuration *config, const char *name, const char *text, size_t length, text_list *warnings,
                                cuzk_error *error) {
    toml_document document;
    table_defaults(config);
    cuzk_status status = toml_parse(&document, text, length, error);
    if (status != CUZK_OK)
        failure_within(error, status, "%s: ", name);
    else
        status = apply_document(config, &document, name, warnings, error);
    toml_document_free(&document);
    if (status != CUZK_OK)
        configuration_free(config);
    else
        override_log_level(config);
    return status;
}

cuzk_status configuration_load(configuration *config, const char *path, text_list *warnings, cuzk_error *error) {
    *config = (configuration){0};
    if (!path) {
        configuration_defaults(config);
        return CUZK_OK;
    }
    mapped_file file;
    TRY(mapped_file_open(&file, path, error));
    cuzk_status status = CUZK_OK;
    if (file.size > MAX_FILE_BYTES)
        status = failure(error, CUZK_BAD_INPUT, "%s: found %llu bytes, expected at most %d", path, (unsigned long long)file.size,
                         MAX_FILE_BYTES);
    else
        status = configuration_parse(config, path, file.size ? (const char *)file.data : "", (size_t)file.size, warnings, error);
    mapped_file_close(&file);
    return status;
}
