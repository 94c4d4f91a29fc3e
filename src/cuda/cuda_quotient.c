#include "cuda/cuda_quotient.h"

#include "cuda/device_phase.h"
#include "cuda/ntt.h"
#include "cuda/rows.h"

typedef struct {
    device_stream *stream;
    device_rows *rows;
    device_ntt *ntt;
    void *other;
    size_t size;
    progress *job;
    prove_profile *profile;
    phase_clock clock;
} quotient_run;

static cuzk_status phase_end(quotient_run *run, prove_phase phase, cuzk_error *error) {
    return device_phase_end(&run->clock, run->profile, phase, run->stream, error);
}

/* The values of A or B on the coset; `first` and the two behind it are its phases. */
static cuzk_status to_coset(quotient_run *run, rows_side side, void *values, prove_phase first, cuzk_error *error) {
    TRY(device_rows_expand(run->rows, run->stream, side, values, run->size, error));
    TRY(phase_end(run, first, error));
    TRY(device_ntt_to_coset_coefficients(run->ntt, run->stream, values, error));
    TRY(phase_end(run, first + 1, error));
    TRY(device_ntt_from_coset_coefficients(run->ntt, run->stream, values, error));
    return phase_end(run, first + 2, error);
}

static cuzk_status combine(quotient_run *run, void *h, cuzk_error *error) {
    TRY(to_coset(run, ROWS_A, h, PHASE_EVALUATE_A, error));
    TRY(to_coset(run, ROWS_B, run->other, PHASE_EVALUATE_B, error));
    TRY(progress_check(run->job, error));
    TRY(device_multiply(run->stream, h, run->other, run->size, error));
    TRY(phase_end(run, PHASE_MULTIPLY, error));
    TRY(device_ntt_product_coefficients(run->ntt, run->stream, h, error));
    TRY(phase_end(run, PHASE_FROM_COSET, error));
    TRY(device_rows_expand(run->rows, run->stream, ROWS_C, run->other, run->size, error));
    TRY(phase_end(run, PHASE_EVALUATE_C, error));
    TRY(device_ntt_c_coefficients(run->ntt, run->stream, run->other, error));
    TRY(phase_end(run, PHASE_INTERPOLATE_C, error));
    TRY(device_ntt_divide(run->ntt, run->stream, h, run->other, error));
    return phase_end(run, PHASE_DIVIDE, error);
}

static cuzk_status make(quotient_run *run, void **h, const row_encoding *e, unsigned log_size, cuzk_error *error) {
    device *d = device_of_stream(run->stream);
    encoded_rows encoded = {e->codes, e->code_words, e->wide, e->wide_count, e->numbers, e->number_count};
    TRY(device_allocate(d, h, run->size * sizeof(fr), "the quotient", error));
    TRY(device_allocate(d, &run->other, run->size * sizeof(fr), "evaluations", error));
    TRY(device_ntt_create(&run->ntt, run->stream, log_size, error));
    TRY(device_rows_create(&run->rows, run->stream, &encoded, error));
    TRY(phase_end(run, PHASE_UPLOAD, error));
    return combine(run, *h, error);
}

cuzk_status cuda_quotient(void **h, device_stream *stream, const row_encoding *encoding, unsigned log_size, progress *job,
                          prove_profile *profile, cuzk_error *error) {
    quotient_run run = {
        .stream = stream, .size = (size_t)1 << log_size, .job = job, .profile = profile, .clock = phase_clock_start()};
    *h = NULL;
    cuzk_status status = make(&run, h, encoding, log_size, error);
    /* Nothing may be using the memory any more; the first error counts. */
    cuzk_status waited = device_synchronize(stream, status == CUZK_OK ? error : NULL);
    device_rows_destroy(run.rows);
    device_ntt_destroy(run.ntt);
    device_free(device_of_stream(stream), run.other);
    if (status == CUZK_OK)
        status = waited;
    if (status != CUZK_OK) {
        device_free(device_of_stream(stream), *h);
        *h = NULL;
    }
    return status;
}
