/* kill -9 at every step of the journal's writes and at random moments: no accepted job is lost, none that was answered is
 * answered differently. The engine runs in a child process, which reports over a pipe. */
#include "engine/fixture.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/journal.h"
#include "support/scratch.h"

enum { JOBS_MAXIMUM = 20000, REPORT_CAPACITY = 512 };

/* What the child has said about a job. */
typedef struct {
    bool accepted, answered;
    unsigned number;
    job_name name;
    uint8_t first_proof[PARTITION_PROOF_BYTES]; /* of its first partition */
} known_job;

static known_job *jobs; /* by number */
static char directory[512];

static const cuzk_proof_kind kinds[] = {CUZK_POREP_SEAL_COMMIT, CUZK_WINNING_POST, CUZK_SNAP_DEALS_UPDATE};
static cuzk_proof_kind kind_of(unsigned number) { return kinds[number % 3]; }

static void script_of(char script[64], unsigned number) {
    snprintf(script, 64, "partitions=%u prove_ms=%u synthesis_ms=%u seed=%u", 1 + number % 3, number % 2, number % 3 / 2, number);
}

/* One report: what, number, job id, proof. Lines are short enough to be written whole. */
static void report(int pipe_end, char what, unsigned number, const char *job_id, const uint8_t *proof) {
    char line[REPORT_CAPACITY];
    int length = snprintf(line, sizeof line, "%c %u %s ", what, number, job_id);
    for (int i = 0; proof && i < 64; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, "%02x", proof[i]);
    length += snprintf(line + length, sizeof line - (size_t)length, "\n");
    if (write(pipe_end, line, (size_t)length) != length)
        _exit(3);
}

static atomic_uint steps_left;

static void die_at_step(const char *step) {
    (void)step;
    if (atomic_fetch_sub(&steps_left, 1) == 1)
        kill(getpid(), SIGKILL);
}

/* Submits jobs first ... first + count - 1, answers for all that it knows of, and ends. */
static _Noreturn void run_child(int pipe_end, unsigned first, unsigned count, unsigned die_after) {
    cuzk_engine *engine;
    cuzk_engine_options options = fixture_options();
    options.state_directory = directory;
    atomic_store(&steps_left, die_after);
    if (die_after)
        journal_fault_point = die_at_step;
    if (engine_start_with_backend(&engine, &options, &fake_backend_create(1)->base, NULL) != CUZK_OK)
        _exit(4);
    job_name *names = calloc(count, sizeof *names);
    if (!names)
        _exit(5);
    for (unsigned i = 0; i < count; i++) {
        char script[64];
        cuzk_bytes storage;
        cuzk_submission submission;
        script_of(script, first + i);
        cuzk_request request = fake_request(kind_of(first + i), "crash", script, &storage);
        if (cuzk_engine_submit(engine, &request, 0, &submission, NULL) != CUZK_OK)
            _exit(6);
        memcpy(names[i].text, submission.job_id, sizeof names[i].text);
        report(pipe_end, 'A', first + i, submission.job_id, NULL);
    }
    for (unsigned i = 0; i < count; i++) {
        cuzk_job_result result;
        if (cuzk_engine_await(engine, names[i].text, 60000, NULL, NULL, &result, NULL) != CUZK_OK || result.state != CUZK_JOB_COMPLETED)
            _exit(7);
        report(pipe_end, 'D', first + i, names[i].text, result.proof);
        cuzk_job_result_free(&result);
    }
    free(names);
    cuzk_engine_stop(engine);
    _exit(0);
}

static void take_report(const char *line) {
    char what, id[REPORT_CAPACITY], proof[REPORT_CAPACITY] = "";
    unsigned number;
    if (sscanf(line, "%c %u %511s %511s", &what, &number, id, proof) < 3 || number >= JOBS_MAXIMUM)
        return; /* cut short by the kill */
    known_job *job = &jobs[number];
    job->accepted = true;
    job->number = number;
    snprintf(job->name.text, sizeof job->name.text, "%.63s", id);
    if (what != 'D')
        return;
    job->answered = true;
    for (int i = 0; i < 64; i++)
        sscanf(proof + (size_t)2 * (size_t)i, "%2hhx", &job->first_proof[i]);
}

static void read_reports(int pipe_end) {
    FILE *stream = fdopen(pipe_end, "r");
    char line[REPORT_CAPACITY];
    assert_non_null(stream);
    while (fgets(line, sizeof line, stream))
        if (strchr(line, '\n'))
            take_report(line);
    fclose(stream);
}

typedef enum { LET_LIVE, KILL_FROM_START, KILL_FROM_FIRST_REPORT } killing;

/* Runs a child; kills it kill_us after its start or its first report. Returns its wait status. */
static int run_and_kill(unsigned first, unsigned count, unsigned die_after, killing how, unsigned kill_us) {
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        run_child(ends[1], first, count, die_after);
    }
    close(ends[1]);
    struct pollfd report = {.fd = ends[0], .events = POLLIN};
    if (how == KILL_FROM_FIRST_REPORT)
        assert_int_equal(poll(&report, 1, 120000), 1);
    if (how != LET_LIVE) {
        usleep(kill_us);
        kill(child, SIGKILL);
    }
    read_reports(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    else
        assert_int_equal(WTERMSIG(status), SIGKILL);
    return status;
}

/* Starts an engine here: every accepted job ends well, and the answered ones with the proof that was given out. */
static void expect_all(unsigned upto) {
    cuzk_engine_options options = fixture_options();
    options.state_directory = directory;
    fixture f = fixture_start(&options);
    for (unsigned i = 0; i < upto; i++) {
        if (!jobs[i].accepted)
            continue;
        char script[64];
        script_of(script, i);
        expect_completed(&f, jobs[i].name, kind_of(i), "crash", script);
        cuzk_job_result result = await_job(&f, jobs[i].name);
        assert_int_equal(result.proof_length, (1 + i % 3) * PARTITION_PROOF_BYTES);
        if (jobs[i].answered)
            assert_memory_equal(result.proof, jobs[i].first_proof, 64);
        cuzk_job_result_free(&result);
    }
    assert_true(cuzk_engine_drain(f.engine, 60000));
    fixture_stop(&f);
}

static void forget_all(const char *name) {
    snprintf(directory, sizeof directory, "%s", scratch_path(name));
    remove_tree(directory);
    memset(jobs, 0, JOBS_MAXIMUM * sizeof *jobs);
}

static void killed_at_every_step(void **state) {
    (void)state;
    unsigned step = 1;
    for (bool ended = false; !ended; step++) {
        forget_all("steps");
        ended = WIFEXITED(run_and_kill(0, 3, step, LET_LIVE, 0));
        expect_all(3);
        if (ended)
            assert_true(jobs[0].answered && jobs[1].answered && jobs[2].answered);
    }
    assert_true(step > 15); /* there were as many places to die */
}

static void killed_at_random_moments(void **state) {
    (void)state;
    test_random random = {.state = 11};
    unsigned kills = soak_number("CUZK_SOAK_KILLS", 12), next = 0, accepted = 0;
    forget_all("random");
    for (unsigned i = 0; i < kills && next + 400 < JOBS_MAXIMUM; i++) {
        /* One in four may hit the start, when the journal is read and the jobs before are taken up. */
        killing how = i % 4 == 3 ? KILL_FROM_START : KILL_FROM_FIRST_REPORT;
        run_and_kill(next, 300, 0, how, (unsigned)(test_random_u64(&random) % 150000));
        while (next < JOBS_MAXIMUM && jobs[next].accepted)
            next++;
        next++; /* the one being submitted may have been accepted without a word */
    }
    expect_all(next);
    for (unsigned i = 0; i < next; i++)
        accepted += jobs[i].accepted;
    assert_true(accepted >= kills - kills / 4);
}

static int set_up(void **state) {
    jobs = calloc(JOBS_MAXIMUM, sizeof *jobs);
    return jobs ? scratch_create(state) : -1;
}

static int tear_down(void **state) {
    free(jobs);
    return scratch_remove(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_every_step),
        cmocka_unit_test(killed_at_random_moments),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
