/* What a job shows of itself where there is no terminal. Time is not waited for: a phase's start is moved back. */
#include "support/support.h"

#include <string.h>
#include <unistd.h>

#include "base/progress.h"

/* A job whose lines go to a file, buffered as a file is. */
typedef struct {
    progress job;
    FILE *file;
    char shown[600]; /* what another process could read of it by now */
} watched_job;

static void watch(watched_job *watched) {
    watched->file = tmpfile();
    assert_non_null(watched->file);
    progress_init(&watched->job, watched->file);
    assert_false(watched->job.terminal);
}

static const char *shown(watched_job *watched) {
    ssize_t count = pread(fileno(watched->file), watched->shown, sizeof watched->shown - 1, 0);
    assert_true(count >= 0);
    watched->shown[count] = '\0';
    return watched->shown;
}

static void move_back(progress *job, int64_t seconds) {
    job->started_ns -= seconds * 1000000000;
    job->last_drawn_ns -= seconds * 1000000000;
}

static void long_phases_show_themselves(void **state) {
    (void)state;
    watched_job watched;
    watch(&watched);
    progress *job = &watched.job;
    progress_begin(job, "points", 200);
    progress_advance(job, 10);
    assert_string_equal(shown(&watched), "");
    move_back(job, 3);
    progress_advance(job, 10);
    assert_string_equal(shown(&watched), "  points                        10 % after 3 s\n");
    progress_advance(job, 10);
    move_back(job, 7);
    progress_advance(job, 10);
    assert_string_equal(shown(&watched), "  points                        10 % after 3 s\n");
    move_back(job, 4);
    progress_advance(job, 60);
    assert_string_equal(shown(&watched),
                        "  points                        10 % after 3 s\n"
                        "  points                        50 % after 14 s\n");
    assert_true(progress_end(job) >= 14);
    assert_non_null(strstr(shown(&watched), "  points                         14.0"));
    assert_null(strchr(shown(&watched), '\r'));
    fclose(watched.file);
}

static void short_phases_can_be_left_out(void **state) {
    (void)state;
    watched_job watched;
    watch(&watched);
    progress *job = &watched.job;
    job->only_long = true;
    progress_begin(job, "short", 10);
    progress_advance(job, 10);
    progress_end(job);
    assert_string_equal(shown(&watched), "");
    progress_begin(job, "long", 10);
    move_back(job, 3);
    progress_end(job);
    assert_non_null(strstr(shown(&watched), "  long "));
    fclose(watched.file);
}

static void phases_without_steps_end_with_a_line(void **state) {
    (void)state;
    watched_job watched;
    watch(&watched);
    progress_begin(&watched.job, "synthesis", 0);
    progress_advance(&watched.job, 5);
    assert_string_equal(shown(&watched), "");
    progress_end(&watched.job);
    assert_non_null(strstr(shown(&watched), "  synthesis "));
    assert_int_equal(progress_end(&watched.job), 0); /* no phase is running */
    fclose(watched.file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_phases_show_themselves),
        cmocka_unit_test(short_phases_can_be_left_out),
        cmocka_unit_test(phases_without_steps_end_with_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
