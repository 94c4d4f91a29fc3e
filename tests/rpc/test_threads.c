/* What calls wait for: worker threads, the gate before receiving, and the interest in a job. */
#include "support/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/progress.h"
#include "rpc/interest.h"
#include "rpc/receive_gate.h"
#include "rpc/workers.h"

static void until(bool (*reached)(void *), void *context) {
    int64_t end = monotonic_ns() + 20000000000ll;
    while (!reached(context)) {
        assert_true(monotonic_ns() < end);
        usleep(1000);
    }
}

/* ---- Workers -------------------------------------------------------------------------------------------------------- */

static atomic_int started, finished;
static atomic_bool may_finish;

static void block(void *argument) {
    (void)argument;
    atomic_fetch_add(&started, 1);
    while (!atomic_load(&may_finish))
        usleep(1000);
    atomic_fetch_add(&finished, 1);
}

static void count(void *argument) { atomic_fetch_add((atomic_int *)argument, 1); }

static bool all_started(void *number) { return atomic_load(&started) == *(int *)number; }
static bool all_finished(void *number) { return atomic_load(&finished) == *(int *)number; }

/* Blocking pieces never wait for each other, up to the maximum; then a piece is refused, and accepted again later. */
static void test_workers(void **state) {
    (void)state;
    int maximum = 20;
    workers *pool = workers_create((size_t)maximum);
    for (int i = 0; i < maximum; i++)
        assert_true(workers_run(pool, block, NULL));
    until(all_started, &maximum);
    assert_false(workers_run(pool, block, NULL));
    atomic_store(&may_finish, true);
    until(all_finished, &maximum);
    atomic_int many = 0;
    int accepted = 0;
    for (int i = 0; i < 5000; i++)
        accepted += workers_run(pool, count, &many);
    workers_destroy(pool);
    assert_int_equal(atomic_load(&many), accepted);
    assert_true(accepted > 0);
}

/* ---- Gate ----------------------------------------------------------------------------------------------------------- */

typedef struct {
    receive_gate *gate;
    pthread_t thread;
    atomic_bool gone, inside, may_leave, left, refused;
    atomic_int *order;
    int place; /* in the order of entering */
} visitor;

static bool visitor_gone(void *context) { return atomic_load(&((visitor *)context)->gone); }
static bool visitor_inside(void *context) { return atomic_load(&((visitor *)context)->inside); }
static bool visitor_left(void *context) { return atomic_load(&((visitor *)context)->left); }
static bool visitor_refused(void *context) { return atomic_load(&((visitor *)context)->refused); }

static void *visit(void *context) {
    visitor *v = context;
    int64_t entered;
    if (!receive_gate_enter(v->gate, visitor_gone, v, &entered)) {
        atomic_store(&v->refused, true);
        return NULL;
    }
    v->place = atomic_fetch_add(v->order, 1);
    atomic_store(&v->inside, true);
    while (!atomic_load(&v->may_leave))
        usleep(1000);
    receive_gate_leave(v->gate);
    atomic_store(&v->left, true);
    return NULL;
}

typedef struct {
    receive_gate *gate;
    size_t waiting;
} expected_waiting;
static bool waiting_reached(void *context) {
    const expected_waiting *e = context;
    return receive_gate_waiting(e->gate) == e->waiting;
}

static void test_gate(void **state) {
    (void)state;
    enum { VISITORS = 6 };
    receive_gate *gate = receive_gate_create(1, 60000);
    visitor visitors[VISITORS] = {0};
    atomic_int order = 0;
    for (int i = 0; i < VISITORS; i++) {
        visitors[i].gate = gate;
        visitors[i].order = &order;
        pthread_create(&visitors[i].thread, NULL, visit, &visitors[i]);
        if (i == 0)
            until(visitor_inside, &visitors[0]);
        else
            until(waiting_reached, &(expected_waiting){gate, (size_t)i});
    }
    atomic_store(&visitors[3].gone, true); /* leaves the queue */
    until(visitor_refused, &visitors[3]);
    assert_int_equal(receive_gate_waiting(gate), 4);
    /* By turns the newest and the oldest of those that wait: 1 2 4 5. */
    static const int expected[] = {0, 5, 1, 4, 2};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        until(visitor_inside, &visitors[expected[i]]);
        assert_int_equal(visitors[expected[i]].place, i);
        atomic_store(&visitors[expected[i]].may_leave, true);
        until(visitor_left, &visitors[expected[i]]);
    }
    for (int i = 0; i < VISITORS; i++)
        pthread_join(visitors[i].thread, NULL);
    receive_gate_destroy(gate);
}

static void test_overdue(void **state) {
    (void)state;
    receive_gate *gate = receive_gate_create(1, 10000);
    atomic_int order = 0;
    visitor first = {.gate = gate, .order = &order}, second = {.gate = gate, .order = &order};
    int64_t long_ago = monotonic_ns() - 60000000000ll, just_now = monotonic_ns(), recently = monotonic_ns() - 6000000000ll;
    pthread_create(&first.thread, NULL, visit, &first);
    until(visitor_inside, &first);
    assert_false(receive_gate_overdue(gate, long_ago)); /* nobody waits */
    pthread_create(&second.thread, NULL, visit, &second);
    until(waiting_reached, &(expected_waiting){gate, 1});
    assert_true(receive_gate_overdue(gate, long_ago));
    assert_true(receive_gate_overdue(gate, recently)); /* one waits for one place: half the time */
    assert_false(receive_gate_overdue(gate, just_now));
    atomic_store(&first.may_leave, true);
    atomic_store(&second.may_leave, true);
    pthread_join(first.thread, NULL);
    pthread_join(second.thread, NULL);
    receive_gate_destroy(gate);
}

/* ---- Interest ------------------------------------------------------------------------------------------------------- */

static void test_abandoned_jobs(void **state) {
    (void)state;
    interest *table = interest_create();
    interest_enter(table, "job-a", true);
    assert_true(interest_abandon(table, "job-a", 0)); /* the only one who wanted it */

    interest_enter(table, "job-a", true);
    interest_enter(table, "job-a", false);
    assert_false(interest_abandon(table, "job-a", 0)); /* another waits */
    interest_leave(table, "job-a");

    interest_enter(table, "job-b", false);
    assert_false(interest_abandon(table, "job-b", 0)); /* made by SubmitProof, or before a restart */

    interest_enter(table, "job-c", true);
    interest_keep(table, "job-c");
    assert_false(interest_abandon(table, "job-c", 0)); /* submitted by itself meanwhile */

    interest_enter(table, "job-d", true);
    interest_enter(table, "job-d", false);
    assert_false(interest_abandon(table, "job-d", 0));
    assert_true(interest_abandon(table, "job-d", 0)); /* the second one leaves too */
    interest_destroy(table);
}

typedef struct {
    interest *table;
    uint64_t grace_ms;
    bool result;
} abandonment;

static void *abandon(void *context) {
    abandonment *a = context;
    a->result = interest_abandon(a->table, "job", a->grace_ms);
    return NULL;
}

static void test_grace(void **state) {
    (void)state;
    for (int renewed = 0; renewed < 2; renewed++) {
        interest *table = interest_create();
        abandonment a = {.table = table, .grace_ms = 20000};
        pthread_t thread;
        interest_enter(table, "job", true);
        pthread_create(&thread, NULL, abandon, &a);
        usleep(20000);
        if (renewed)
            interest_enter(table, "job", false);
        else
            interest_stop(table);
        pthread_join(thread, NULL);
        assert_false(a.result);
        if (renewed)
            assert_true(interest_abandon(table, "job", 0)); /* the renewed one inherits that only Prove calls want it */
        interest_destroy(table);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers),        cmocka_unit_test(test_gate),  cmocka_unit_test(test_overdue),
        cmocka_unit_test(test_abandoned_jobs), cmocka_unit_test(test_grace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
