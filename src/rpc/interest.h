/* Who still wants a job that a Prove call made: its last waiter's leaving ends it. */
#ifndef RPC_INTEREST_H
#define RPC_INTEREST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct interest interest;

interest *interest_create(void);
/* Nobody may be inside. NULL is fine. */
void interest_destroy(interest *table);

/* A call waits for the job from now on. owner: it is a Prove call and its submission made the job. */
void interest_enter(interest *table, const char *job_id, bool owner);

/* SubmitProof took the job over: it goes on without waiters. */
void interest_keep(interest *table, const char *job_id);

/* The call has its answer. */
void interest_leave(interest *table, const char *job_id);

/* The call's client is gone. Waits up to grace_ms for another call to take an interest; true if none did and the job
 * lives for Prove calls alone: then the caller cancels it. */
bool interest_abandon(interest *table, const char *job_id, uint64_t grace_ms);

/* The daemon stops: whoever waits in interest_abandon returns false, now and later. */
void interest_stop(interest *table);

#endif
