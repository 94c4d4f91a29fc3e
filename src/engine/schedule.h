/* What goes next. The mutex is held.
 *
 * Order: WinningPoSt with CRITICAL priority, then CRITICAL, HIGH, NORMAL, LOW; among equals jobs that have started, then (with
 * sort_by_type) the circuit that started last, then order of acceptance; within a job by partition. Both stages follow it,
 * so an urgent job overtakes at the next partition, and partitions that are done stay done.
 *
 * No starvation: a job that jobs accepted after it have overtaken for starvation_limit gets a turn for one partition before
 * everything but WinningPoSt, and before that too once eight of its partitions have gone before that turn. One such turn at a
 * time, at most one in starvation_limit and no two in a row; the job accepted first is the first to get one.
 *
 * Bounded hand-over: a partition is synthesized only while fewer than synthesis_lookahead + synthesis_concurrency - 1
 * partitions, plus one for each idle prover (and at least max_batch_size when batching), that are as urgent are on their way
 * to a prover. Less urgent ones do not count: they do not hold an urgent one up.
 *
 * Memory: a partition starts when its assignment, its job's parsed request and its parameters fit the budget beside what is
 * in use, with enough left for the largest prover's working memory that partitions on their way will want: so whatever has
 * been synthesized can always be proved. Parameters that are idle make room. A job that does not fit lets less urgent ones
 * pass, but once it has waited for starvation_limit no new job starts before it. */
#ifndef ENGINE_SCHEDULE_H
#define ENGINE_SCHEDULE_H

#include "engine/engine_internal.h"

/* How urgent a job is: lower goes first. */
int schedule_rank(const job *j);
/* True if a goes before b. */
bool schedule_before(const cuzk_engine *engine, const job *a, const job *b);
/* Unfinished jobs that go before j. */
uint32_t schedule_position(const cuzk_engine *engine, const job *j);

/* The next partition to synthesize, or NULL. Everything it needs has been taken for it: budget, a reference to its
 * parameters; it is SYNTHESIZING and its job's workers count the caller. *must_open: the caller opens the parameters (the
 * entry is SRS_LOADING). The job is `preparing` if it has not been parsed: the caller does so. express: CRITICAL only, and only
 * while the other synthesizers are busy. *wake_ns: lowered to when to look again though nothing is signalled. May let go of
 * the mutex. */
partition *schedule_synthesis(cuzk_engine *engine, bool express, bool *must_open, int64_t *wake_ns);

/* The next pass over parameters: at most BATCH_MAXIMUM partitions of one circuit, most urgent first, with budget taken for
 * the prover; they are PROVING and their jobs' workers count the caller. Returns how many. */
size_t schedule_proving(cuzk_engine *engine, const worker *prover, partition **batch, int64_t *wake_ns);

/* True if no partition is being worked on or waits for a prover: nothing will free memory by itself. */
bool schedule_nothing_runs(const cuzk_engine *engine);
/* Bytes of the free budget that partitions on their way will want for proving: others leave them. */
uint64_t schedule_headroom(const cuzk_engine *engine);

/* CUZK_EXHAUSTED, naming the sizes, if the job could not run even alone. */
cuzk_status schedule_fits_alone(const cuzk_engine *engine, const job *j, cuzk_error *error);

#endif
