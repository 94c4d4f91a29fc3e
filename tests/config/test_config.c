/* The configuration: every key, wrong values, unknown keys, the environment, and the texts made from the table. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "config/keys.h"

static int clear_environment(void **state) {
    (void)state;
    static const char *const names[] = {"FIL_PROOFS_PARAMETER_CACHE", "CUZK_STATE_DIR", "XDG_STATE_HOME", "CUZK_LOG", "RUST_LOG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("HOME", "/home/someone", 1);
    return 0;
}

static cuzk_status parse(configuration *config, const char *text, text_list *warnings, cuzk_error *error) {
    return configuration_parse(config, "test.toml", text, strlen(text), warnings, error);
}

/* Asserts that the text is refused with exactly that message. */
static void assert_refused(const char *text, const char *message) {
    configuration config;
    cuzk_error error = {0};
    cuzk_status status = parse(&config, text, NULL, &error);
    if (status == CUZK_OK)
        fail_msg("accepted: %s", text);
    assert_int_equal(status, CUZK_BAD_INPUT);
    assert_string_equal(error.message, message);
}

static void test_defaults(void **state) {
    (void)state;
    configuration c;
    configuration_defaults(&c);
    assert_int_equal(c.daemon.listen.count, 1);
    assert_string_equal(c.daemon.listen.items[0], "127.0.0.1:9820");
    assert_string_equal(c.daemon.status_listen, "");
    assert_string_equal(c.daemon.state_dir, "/home/someone/.local/state/cuzk");
    assert_string_equal(c.srs.param_cache, "/var/tmp/filecoin-proof-parameters");
    assert_string_equal(c.srs.param_cache_origin, "the default");
    assert_int_equal(c.daemon.max_request_size, 256 << 20);
    assert_int_equal(c.memory.total_budget, 0);
    assert_int_equal(c.memory.safety_margin, 5ull << 30);
    assert_int_equal(c.memory.eviction_min_idle, 300000);
    assert_int_equal(c.scheduler.max_batch_size, 1);
    assert_int_equal(c.scheduler.max_batch_wait_ms, 10000);
    assert_true(c.scheduler.sort_by_type);
    assert_true(c.pipeline.enabled);
    assert_int_equal(c.pipeline.synthesis_lookahead, 1);
    assert_int_equal(c.gpus.devices.count, 0);
    assert_false(c.synthesis.classic);
    assert_int_equal(c.logging.level, LOG_INFO);
    assert_false(c.logging.json);
    configuration_free(&c);
}

static void test_every_known_key(void **state) {
    (void)state;
    static const char text[] =
        "[daemon]\n"
        "listen = [\"0.0.0.0:1\", 'unix:///run/x.sock']\n"
        "status_listen = \"[::1]:9821\"\n"
        "state_dir = \"/s\"\n"
        "max_request_size = \"512MiB\"\n"
        "upload_budget = \"2GiB\"\n"
        "upload_timeout = \"1m\"\nabandon_grace = \"0s\"\ndrain_timeout = \"2h\"\n"
        "tls_certificate = \"c\"\ntls_key = \"k\"\ntls_client_ca = \"a\"\n"
        "[srs]\nparam_cache = \"/p\"\npreload = [\"porep-32g\"]\n"
        "[memory]\ntotal_budget = \"256GiB\"\nsafety_margin = 1024\neviction_min_idle = \"90s\"\n"
        "scratch_dir = \"/d\"\nscratch_memory = \"2GiB\"\n"
        "pinned_budget = \"1GiB\"\nworking_memory_budget = \"1GiB\"\n"
        "[gpus]\ndevices = [0, 3]\ngpu_threads = 32\ngpu_workers_per_device = 2\n"
        "[scheduler]\nmax_batch_size = 2\nmax_batch_wait_ms = 1\nsort_by_type = false\nmax_queued_jobs = 7\n"
        "starvation_limit = \"3s\"\n"
        "[synthesis]\nstrategy = \"classic\"\nthreads = 4\npartition_workers = 20\n"
        "[pipeline]\nenabled = false\nsynthesis_lookahead = 3\nsynthesis_concurrency = 2\n"
        "max_gpu_queue_depth = 8\nmax_parallel_synthesis = 18\n"
        "[journal]\nretention = \"1d\"\nretention_jobs = 5\nmax_size = \"1GiB\"\n"
        "[logging]\nlevel = \"debug\"\nformat = \"json\"\n";
    configuration c;
    cuzk_error error = {0};
    text_list warnings = {0};
    ASSERT_OK(parse(&c, text, &warnings, &error));
    assert_int_equal(c.daemon.listen.count, 2);
    assert_string_equal(c.daemon.listen.items[1], "unix:///run/x.sock");
    assert_string_equal(c.daemon.status_listen, "[::1]:9821");
    assert_int_equal(c.daemon.max_request_size, 512 << 20);
    assert_int_equal(c.daemon.upload_budget, 2ull << 30);
    assert_int_equal(c.daemon.upload_timeout, 60000);
    assert_int_equal(c.daemon.drain_timeout, 7200000);
    assert_string_equal(c.srs.param_cache, "/p");
    assert_string_equal(c.srs.param_cache_origin, "srs.param_cache");
    assert_int_equal(c.memory.total_budget, 256ull << 30);
    assert_int_equal(c.memory.safety_margin, 1024);
    assert_int_equal(c.memory.eviction_min_idle, 90000);
    assert_string_equal(c.memory.scratch_dir, "/d");
    assert_int_equal(c.memory.scratch_memory, 2ull << 30);
    assert_int_equal(c.gpus.devices.count, 2);
    assert_int_equal(c.gpus.devices.items[1], 3);
    assert_int_equal(c.gpus.gpu_threads, 32);
    assert_int_equal(c.scheduler.max_queued_jobs, 7);
    assert_int_equal(c.scheduler.starvation_limit, 3000);
    assert_false(c.scheduler.sort_by_type);
    assert_true(c.synthesis.classic);
    assert_int_equal(c.synthesis.threads, 4);
    assert_false(c.pipeline.enabled);
    assert_int_equal(c.pipeline.max_gpu_queue_depth, 8);
    assert_int_equal(c.pipeline.max_parallel_synthesis, 18);
    assert_int_equal(c.journal.retention, 86400000);
    assert_int_equal(c.journal.retention_jobs, 5);
    assert_int_equal(c.logging.level, LOG_DEBUG);
    assert_true(c.logging.json);
    assert_int_equal(warnings.count, 4); /* the ignored keys */
    assert_non_null(strstr(warnings.items[0], "line 15: srs.preload is ignored"));
    text_list_free(&warnings);
    configuration_free(&c);
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused("[daemon]\nlisten_address = \"x\"\n",
                   "test.toml: line 2: unknown key daemon.listen_address; did you mean daemon.listen?");
    assert_refused("[daemon]\nlitsen = \"x\"\n", "test.toml: line 2: unknown key daemon.litsen; did you mean daemon.listen?");
    assert_refused("[pipline]\nenabled = true\n", "test.toml: line 1: unknown table pipline; did you mean pipeline?");
    assert_refused("[gpu]\n", "test.toml: line 1: unknown table gpu; did you mean gpus?");
    assert_refused("x = 1\n", "test.toml: line 1: unknown key x; docs/configuration.md lists them");
    assert_refused("[daemon]\nlisten = 9820\n",
                   "test.toml: line 2: daemon.listen: found 9820, expected \"host:port\", \"unix:///path\" or an array of them");
    assert_refused("[daemon]\nlisten = []\n", "test.toml: line 2: daemon.listen: found 0 addresses, expected 1 to 64");
    assert_refused("[daemon]\nlisten = \"localhost\"\n",
                   "test.toml: line 2: daemon.listen: found localhost, expected host:port or unix:///path");
    assert_refused("[daemon]\nlisten = \"::1:9820\"\n",
                   "test.toml: line 2: daemon.listen: found ::1:9820, expected brackets around an IPv6 address: [::1]:port");
    assert_refused("[daemon]\nlisten = \"a:65536\"\n",
                   "test.toml: line 2: daemon.listen: found port 65536, expected a number from 0 to 65535");
    assert_refused(
        "[daemon]\nlisten = \"unix://relative\"\n",
        "test.toml: line 2: daemon.listen: found unix://relative, expected host:port or unix:///path with an absolute path");
    assert_refused(
        "[memory]\ntotal_budget = \"lots\"\n",
        "test.toml: line 2: memory.total_budget: found \"lots\", expected \"auto\" or a size such as \"512MiB\" or \"20GiB\"");
    assert_refused(
        "[memory]\ntotal_budget = -1\n",
        "test.toml: line 2: memory.total_budget: found -1, expected \"auto\" or a size such as \"512MiB\" or \"20GiB\"");
    assert_refused("[memory]\ntotal_budget = \"1KiB\"\n",
                   "test.toml: line 2: memory.total_budget: found 1024 bytes, expected from 268435456 to 70368744177664");
    assert_refused(
        "[memory]\nsafety_margin = \"20000000TiB\"\n",
        "test.toml: line 2: memory.safety_margin: found \"20000000TiB\", expected a size such as \"512MiB\" or \"20GiB\"");
    assert_refused("[memory]\neviction_min_idle = \"5\"\n",
                   "test.toml: line 2: memory.eviction_min_idle: found \"5\", expected a duration such as "
                   "\"500ms\", \"30s\", \"5m\", \"2h\" or \"7d\"");
    assert_refused("[scheduler]\nmax_batch_size = 0\n",
                   "test.toml: line 2: scheduler.max_batch_size: found 0, expected a number from 1 to 64");
    assert_refused("[scheduler]\nsort_by_type = 1\n",
                   "test.toml: line 2: scheduler.sort_by_type: found 1, expected true or false");
    assert_refused("[gpus]\ndevices = [0, \"1\"]\n",
                   "test.toml: line 2: gpus.devices: found \"1\", expected an array of numbers from 0 to 1023");
    assert_refused(
        "[logging]\nlevel = \"loud\"\n",
        "test.toml: line 2: logging.level: found \"loud\", expected \"trace\", \"debug\", \"info\", \"warn\" or \"error\"");
    assert_refused("[logging]\nformat = \"xml\"\n",
                   "test.toml: line 2: logging.format: found \"xml\", expected \"text\" or \"json\"");
    assert_refused("[synthesis]\nstrategy = true\n",
                   "test.toml: line 2: synthesis.strategy: found true, expected \"compact\" or \"classic\"");
    assert_refused("[synthesis]\nstrategy = \"kept\"\n",
                   "test.toml: line 2: synthesis.strategy: found \"kept\", expected \"compact\" or \"classic\"");
    assert_refused("[daemon]\nstate_dir = 1.5\n",
                   "test.toml: line 2: daemon.state_dir: found another kind of value, expected a string");
    assert_refused("[daemon]\nstate_dir = \"a\\u0000b\"\n", "test.toml: line 2: found a NUL character in a string");
    assert_refused("[daemon]\ntls_key = \"k\"\n",
                   "test.toml: daemon.tls_certificate: found empty, expected a file as daemon.tls_key is set");
    assert_refused("[daemon]\ntls_client_ca = \"a\"\n",
                   "test.toml: daemon.tls_client_ca: set without daemon.tls_certificate and daemon.tls_key");
    assert_refused("[daemon]\nstate_dir = \"\"\n", "test.toml: daemon.state_dir: found empty, expected a directory");
}

static void test_syntax_errors(void **state) {
    (void)state;
    static const char *const texts[] = {"[daemon\n",  "x = \n",        "a = 1\na = 2\n", "= 1\n",
                                        "[a]\n[a]\n", "x = \"\\q\"\n", "\xff\xfe",       "x = 99999999999999999999\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        configuration config;
        cuzk_error error = {0};
        assert_int_equal(parse(&config, texts[i], NULL, &error), CUZK_BAD_INPUT);
        assert_memory_equal(error.message, "test.toml: line ", 16);
    }
}

static void test_environment(void **state) {
    (void)state;
    configuration c;
    cuzk_error error = {0};
    setenv("FIL_PROOFS_PARAMETER_CACHE", "/cache", 1);
    setenv("XDG_STATE_HOME", "/xdg", 1);
    setenv("RUST_LOG", "bellperson=trace,error", 1);
    configuration_defaults(&c);
    assert_string_equal(c.srs.param_cache, "/cache");
    assert_string_equal(c.srs.param_cache_origin, "FIL_PROOFS_PARAMETER_CACHE");
    assert_string_equal(c.daemon.state_dir, "/xdg/cuzk");
    assert_int_equal(c.logging.level, LOG_ERROR);
    configuration_free(&c);
    setenv("CUZK_STATE_DIR", "/state", 1);
    setenv("CUZK_LOG", "trace", 1);
    ASSERT_OK(parse(&c, "[logging]\nlevel = \"warn\"\n[srs]\nparam_cache = \"/mine\"\n", NULL, &error));
    assert_string_equal(c.srs.param_cache, "/mine");
    assert_string_equal(c.daemon.state_dir, "/state");
    assert_int_equal(c.logging.level, LOG_TRACE);
    configuration_free(&c);
}

static void test_files(void **state) {
    (void)state;
    configuration c;
    cuzk_error error = {0};
    assert_int_equal(configuration_load(&c, "/nonexistent/cuzk.toml", NULL, &error), CUZK_NOT_FOUND);
    assert_int_equal(configuration_load(&c, "/tmp", NULL, &error), CUZK_BAD_INPUT);
    ASSERT_OK(configuration_load(&c, NULL, NULL, &error));
    configuration_free(&c);
}

static char *generated(void (*write)(FILE *), size_t *length) {
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    write(stream);
    fclose(stream);
    return text;
}

/* A sample that is read back gives the defaults, and so does one with every '#' before a key taken away. */
static void test_sample_is_valid(void **state) {
    (void)state;
    size_t length;
    configuration c;
    cuzk_error error = {0};
    char *sample = generated(configuration_write_sample, &length);
    ASSERT_OK(configuration_parse(&c, "sample", sample, length, NULL, &error));
    configuration_free(&c);
    char *open = calloc(length + 1, 1), *to = open;
    for (char *from = sample; *from; from++) {
        bool starts_line = from == sample || from[-1] == '\n';
        if (!(starts_line && from[0] == '#' && from[1] != ' '))
            *to++ = *from;
    }
    ASSERT_OK(parse(&c, open, NULL, &error));
    assert_int_equal(c.daemon.max_request_size, 256 << 20);
    assert_int_equal(c.pipeline.synthesis_lookahead, 1);
    configuration_free(&c);
    free(open);
    free(sample);
}

static void assert_file_is(const char *name, void (*write)(FILE *)) {
    char path[4096];
    size_t length, file_length;
    snprintf(path, sizeof path, "%s/%s", CUZK_SOURCE_DIR, name);
    char *expected = generated(write, &length);
    char *found = (char *)read_test_file(path, &file_length);
    if (length != file_length || memcmp(expected, found, length) != 0)
        fail_msg("%s is not what the table of keys makes: cuzk-daemon --print-... > %s", name, name);
    free(expected);
    free(found);
}

static void test_generated_files_are_current(void **state) {
    (void)state;
    assert_file_is("docs/configuration.md", configuration_write_documentation);
    assert_file_is("packaging/cuzk-daemon.toml", configuration_write_sample);
}

static void test_table(void **state) {
    (void)state;
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        const char *dot = strchr(CONFIG_KEYS[i].name, '.');
        assert_non_null(dot);
        bool has_table = false;
        for (size_t t = 0; t < CONFIG_TABLE_COUNT; t++)
            has_table |= strlen(CONFIG_TABLES[t].name) == (size_t)(dot - CONFIG_KEYS[i].name) &&
                         memcmp(CONFIG_TABLES[t].name, CONFIG_KEYS[i].name, (size_t)(dot - CONFIG_KEYS[i].name)) == 0;
        assert_true(has_table);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(CONFIG_KEYS[i].name, CONFIG_KEYS[j].name);
    }
}

static void test_durations(void **state) {
    (void)state;
    uint64_t ms;
    assert_true(parse_duration("0s", &ms) && ms == 0);
    assert_true(parse_duration("1500ms", &ms) && ms == 1500);
    assert_true(parse_duration("2h", &ms) && ms == 7200000);
    static const char *const bad[] = {"", "s", "5", "5 m", "-1s", "1.5s", "5M", "99999999999999999999s", "400000000000000000d"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(parse_duration(bad[i], &ms));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_defaults, clear_environment),
        cmocka_unit_test_setup(test_every_known_key, clear_environment),
        cmocka_unit_test_setup(test_refusals, clear_environment),
        cmocka_unit_test_setup(test_syntax_errors, clear_environment),
        cmocka_unit_test_setup(test_environment, clear_environment),
        cmocka_unit_test_setup(test_files, clear_environment),
        cmocka_unit_test(test_sample_is_valid),
        cmocka_unit_test(test_generated_files_are_current),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
