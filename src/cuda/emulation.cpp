/* Blocks of emulated threads: a stack each, and a round over all of them that gives each its turn. */
#include "cuda/emulation.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATION_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATION_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define EMULATION_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EMULATION_TSAN 1
#endif
#endif
#ifdef EMULATION_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef EMULATION_TSAN
#include <sanitizer/tsan_interface.h>
#endif

thread_local emulated_place emulated_here;

#ifdef __x86_64__
/* Changes stacks, with the registers that a called function must keep on the one that is left: swapcontext without its two
 * system calls, which took half of a small proof's time. */
extern "C" void emulation_switch(void **left, void *entered);
asm(R"(
    .text
    .hidden emulation_switch
    .globl emulation_switch
    .type emulation_switch, @function
emulation_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulation_switch, . - emulation_switch
)");
#endif

namespace {

const size_t STACK_BYTES = 256 << 10; /* of which only what is used becomes memory */

#ifdef __x86_64__
struct machine_context {
    void *stack_pointer;
};

void switch_context(machine_context &left, const machine_context &entered) {
    emulation_switch(&left.stack_pointer, entered.stack_pointer);
}

/* The first switch to it takes six registers and returns into body, whose own return address is 0. */
void make_context(machine_context &made, void *stack, size_t bytes, void (*body)()) {
    const size_t registers = 6;
    void **top = reinterpret_cast<void **>(static_cast<uint8_t *>(stack) + bytes);
    top[-1] = nullptr;
    top[-2] = reinterpret_cast<void *>(body);
    for (size_t i = 0; i < registers; i++)
        top[-3 - static_cast<ptrdiff_t>(i)] = nullptr;
    made.stack_pointer = top - 2 - registers;
}
#else
typedef ucontext_t machine_context;

void switch_context(machine_context &left, const machine_context &entered) { swapcontext(&left, &entered); }

void make_context(machine_context &made, void *stack, size_t bytes, void (*body)()) {
    getcontext(&made);
    made.uc_stack.ss_sp = stack;
    made.uc_stack.ss_size = bytes;
    made.uc_link = nullptr;
    makecontext(&made, body, 0);
}
#endif

enum fiber_state { RUNNING, AT_BARRIER, AT_WARP_OPERATION, FINISHED };

struct fiber {
    machine_context context;
    void *stack;
    fiber_state state;
    uint32_t given; /* to the warp operation that it waits at */
#ifdef EMULATION_ASAN
    void *fake_stack;
#endif
#ifdef EMULATION_TSAN
    void *tsan_fiber;
#endif
};

struct block_run {
    std::vector<fiber> fibers; /* kept from block to block */
    std::vector<uint4> shared;
    machine_context scheduler;
    void (*kernel)(const void *);
    const void *context;
    unsigned current;
    bool cooperative;
    /* What the lanes of each warp gave to its last operation, and which of them were alive. */
    uint32_t given[EMULATED_BLOCK_MAX / EMULATED_WARP][EMULATED_WARP];
    uint32_t alive[EMULATED_BLOCK_MAX / EMULATED_WARP];
#ifdef EMULATION_ASAN
    void *fake_stack;
    const void *stack_bottom;
    size_t stack_size;
#endif
#ifdef EMULATION_TSAN
    void *tsan_fiber;
#endif

    ~block_run() {
        for (fiber &f : fibers)
            if (f.stack)
                munmap(f.stack, STACK_BYTES);
    }
};

thread_local block_run run;

[[noreturn]] void complain(const char *what) {
    fprintf(stderr, "emulation: %s (block %u, thread %u)\n", what, emulated_here.block.x, emulated_here.thread.x);
    abort();
}

void switch_to_scheduler(bool finished) {
    fiber &f = run.fibers[run.current];
    (void)finished;
#ifdef EMULATION_ASAN
    __sanitizer_start_switch_fiber(finished ? nullptr : &f.fake_stack, run.stack_bottom, run.stack_size);
#endif
#ifdef EMULATION_TSAN
    __tsan_switch_to_fiber(run.tsan_fiber, 0);
#endif
    switch_context(f.context, run.scheduler);
#ifdef EMULATION_ASAN
    __sanitizer_finish_switch_fiber(f.fake_stack, &run.stack_bottom, &run.stack_size);
#endif
}

void fiber_body() {
#ifdef EMULATION_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &run.stack_bottom, &run.stack_size);
#endif
    run.kernel(run.context);
    run.fibers[run.current].state = FINISHED;
    switch_to_scheduler(true);
}

void start_fiber(fiber &f) {
    if (!f.stack) {
        f.stack = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (f.stack == MAP_FAILED)
            complain("no memory for a stack");
    }
    make_context(f.context, f.stack, STACK_BYTES, fiber_body);
    f.state = RUNNING;
#ifdef EMULATION_TSAN
    f.tsan_fiber = __tsan_create_fiber(0);
#endif
}

void continue_fiber(unsigned index) {
    fiber &f = run.fibers[index];
    run.current = index;
    emulated_here.thread.x = index;
#ifdef EMULATION_ASAN
    __sanitizer_start_switch_fiber(&run.fake_stack, f.stack, STACK_BYTES);
#endif
#ifdef EMULATION_TSAN
    __tsan_switch_to_fiber(f.tsan_fiber, 0);
#endif
    switch_context(run.scheduler, f.context);
#ifdef EMULATION_ASAN
    __sanitizer_finish_switch_fiber(run.fake_stack, nullptr, nullptr);
#endif
#ifdef EMULATION_TSAN
    if (f.state == FINISHED)
        __tsan_destroy_fiber(f.tsan_fiber);
#endif
}

/* Lets threads begin .. end-1 go on if none of them runs and those that are not finished all wait in `state`. */
bool release(unsigned begin, unsigned end, fiber_state state) {
    bool any = false;
    for (unsigned i = begin; i < end; i++) {
        fiber_state found = run.fibers[i].state;
        if (found != FINISHED && found != state)
            return false;
        any |= found == state;
    }
    if (!any)
        return false;
    if (state == AT_WARP_OPERATION) {
        unsigned warp = begin / EMULATED_WARP;
        run.alive[warp] = 0;
        for (unsigned i = begin; i < end; i++) {
            run.given[warp][i - begin] = run.fibers[i].given;
            run.alive[warp] |= run.fibers[i].state == FINISHED ? 0u : 1u << (i - begin);
        }
    }
    for (unsigned i = begin; i < end; i++)
        if (run.fibers[i].state == state)
            run.fibers[i].state = RUNNING;
    return true;
}

void run_block(unsigned threads) {
    if (run.fibers.size() < threads)
        run.fibers.resize(threads);
    for (unsigned i = 0; i < threads; i++)
        start_fiber(run.fibers[i]);
    for (;;) {
        bool progress = false;
        for (unsigned i = 0; i < threads; i++)
            if (run.fibers[i].state == RUNNING) {
                continue_fiber(i);
                progress = true;
            }
        for (unsigned i = 0; i < threads; i += EMULATED_WARP)
            progress |= release(i, i + EMULATED_WARP < threads ? i + EMULATED_WARP : threads, AT_WARP_OPERATION);
        progress |= release(0, threads, AT_BARRIER);
        bool finished = true;
        for (unsigned i = 0; i < threads; i++)
            finished &= run.fibers[i].state == FINISHED;
        if (finished)
            return;
        if (!progress)
            complain("threads of a block wait for each other in different places");
    }
}

void wait_in(fiber_state state) {
    if (!run.cooperative)
        complain("a barrier or warp operation in a kernel that was launched as flat");
    run.fibers[run.current].state = state;
    switch_to_scheduler(false);
}

} // namespace

void *emulated_shared_memory() { return run.shared.data(); }

void emulated_barrier() { wait_in(AT_BARRIER); }

uint32_t emulated_exchange(uint32_t value, unsigned source) {
    unsigned self = emulated_here.thread.x;
    if (run.cooperative)
        run.fibers[self].given = value;
    wait_in(AT_WARP_OPERATION);
    unsigned warp = self / EMULATED_WARP;
    return source < EMULATED_WARP && (run.alive[warp] >> source & 1) ? run.given[warp][source] : value;
}

uint32_t emulated_ballot(bool predicate) {
    unsigned self = emulated_here.thread.x;
    if (run.cooperative)
        run.fibers[self].given = predicate;
    wait_in(AT_WARP_OPERATION);
    unsigned warp = self / EMULATED_WARP;
    uint32_t bits = 0;
    for (unsigned lane = 0; lane < EMULATED_WARP; lane++)
        bits |= (run.alive[warp] >> lane & 1) && run.given[warp][lane] ? 1u << lane : 0u;
    return bits;
}

void emulated_grid(unsigned grid, unsigned block, size_t shared_bytes, emulated_kind kind, void (*kernel)(const void *),
                   const void *context) {
    if (grid == 0 || block == 0 || block > EMULATED_BLOCK_MAX)
        complain("a launch of no threads, or of too many in a block");
    emulated_here.grid_size.x = grid;
    emulated_here.block_size.x = block;
    run.kernel = kernel;
    run.context = context;
    run.cooperative = kind == EMULATED_COOPERATIVE;
#ifdef EMULATION_TSAN
    run.tsan_fiber = __tsan_get_current_fiber();
#endif
    run.shared.resize((shared_bytes + sizeof(uint4) - 1) / sizeof(uint4));
    for (unsigned b = 0; b < grid; b++) {
        emulated_here.block.x = b;
        if (shared_bytes > 0)
            memset(run.shared.data(), 0xa5, run.shared.size() * sizeof(uint4));
        if (run.cooperative) {
            run_block(block);
        } else {
            for (unsigned i = 0; i < block; i++) {
                emulated_here.thread.x = i;
                kernel(context);
            }
        }
    }
}
