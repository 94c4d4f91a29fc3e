#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mapped_file.h"
#include "base/memory.h"
#include "command.h"

static cuzk_status read_text(char **text, const char *path, cuzk_error *error) {
    mapped_file file;
    if (!path)
        return CUZK_OK;
    TRY(mapped_file_open(&file, path, error));
    *text = allocate((size_t)file.size + 1, 1);
    if (file.size)
        memcpy(*text, file.data, (size_t)file.size);
    (*text)[file.size] = 0;
    mapped_file_close(&file);
    return CUZK_OK;
}

static cuzk_status set_log_level(const char *text, cuzk_error *error) {
    log_level level;
    if (!text)
        return CUZK_OK;
    if (!log_level_parse(text, &level))
        return failure(error, CUZK_BAD_INPUT, "--log-level: found %s, expected trace, debug, info, warn or error", text);
    log_set_level(level);
    return CUZK_OK;
}

cuzk_status connect_daemon(rpc_client **client, const connection_options *options, cuzk_error *error) {
    char *authorities = NULL, *certificate = NULL, *key = NULL;
    *client = NULL;
    TRY(set_log_level(options->log_level, error));
    if (!options->certificate != !options->key)
        return failure(error, CUZK_BAD_INPUT, "--tls-cert and --tls-key belong together");
    cuzk_status status = read_text(&authorities, options->authorities, error);
    if (status == CUZK_OK)
        status = read_text(&certificate, options->certificate, error);
    if (status == CUZK_OK)
        status = read_text(&key, options->key, error);
    if (status == CUZK_OK) {
        rpc_client_options o = {.address = options->address, .authorities = authorities, .certificate = certificate, .key = key};
        status = rpc_client_create(client, &o, error);
    }
    free(authorities);
    free(certificate);
    free(key);
    return status;
}

const char *readable_bytes(uint64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    static char texts[8][32];
    static unsigned next;
    char *text = texts[next++ % 8];
    double value = (double)bytes;
    unsigned unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(text, sizeof texts[0], unit ? "%.2f %s" : "%.0f %s", value, units[unit]);
    return text;
}
