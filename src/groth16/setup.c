#include "groth16/setup.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/ntt.h"
#include "groth16/parameters_check.h"
#include "groth16/qap.h"
#include "groth16/query_writer.h"

cuzk_status toxic_waste_random(toxic_waste *waste, cuzk_error *error) {
    fr *const fields[] = {&waste->tau, &waste->alpha, &waste->beta, &waste->gamma, &waste->delta};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        TRY(fr_random(fields[i], error));
    return CUZK_OK;
}

void toxic_waste_from_seed(toxic_waste *waste, const uint8_t seed[32]) {
    fr *const fields[] = {&waste->tau, &waste->alpha, &waste->beta, &waste->gamma, &waste->delta};
    for (uint64_t i = 0; i < sizeof fields / sizeof *fields; i++)
        fr_from_seed(fields[i], seed, i);
}

static cuzk_status check_waste(const toxic_waste *waste, cuzk_error *error) {
    const struct {
        const char *name;
        const fr *value;
    } fields[] = {{"tau", &waste->tau},
                  {"alpha", &waste->alpha},
                  {"beta", &waste->beta},
                  {"gamma", &waste->gamma},
                  {"delta", &waste->delta}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fr_is_zero(fields[i].value))
            return failure(error, CUZK_BAD_INPUT, "setup: %s: found 0, expected a non-zero scalar", fields[i].name);
    return CUZK_OK;
}

/* One setup. extension: (beta u + alpha v + w) / gamma or delta of each variable, in the memory of w. */
typedef struct {
    const toxic_waste *waste;
    qap_evaluation qap;
    fr *extension;
    verifying_key vk;
    thread_pool *pool;
    progress *job;
} setup;

typedef struct {
    const setup *s;
    fr gamma_inverse, delta_inverse;
} extension_loop;

static void extend_range(void *context, size_t begin, size_t end, size_t worker) {
    (void)worker;
    extension_loop *loop = context;
    const qap_evaluation *qap = &loop->s->qap;
    for (size_t v = begin; v < end; v++) {
        fr beta_u, alpha_v;
        fr_mul(&beta_u, &loop->s->waste->beta, &qap->a[v]);
        fr_mul(&alpha_v, &loop->s->waste->alpha, &qap->b[v]);
        fr *sum = &loop->s->extension[v];
        fr_add(sum, sum, &beta_u);
        fr_add(sum, sum, &alpha_v);
        fr_mul(sum, sum, v < qap->counts.inputs ? &loop->gamma_inverse : &loop->delta_inverse);
    }
}

static void extend(setup *s) {
    extension_loop loop = {.s = s};
    fr_invert(&loop.gamma_inverse, &s->waste->gamma);
    fr_invert(&loop.delta_inverse, &s->waste->delta);
    s->extension = s->qap.c;
    size_t variables = (size_t)s->qap.counts.inputs + s->qap.counts.aux;
    parallel_for(s->pool, variables, even_grain(s->pool, variables), extend_range, &loop);
}

/* Which of the two kinds a slot of the evaluations is, and its index there. */
static const char *kind_of_slot(const circuit_counts *counts, size_t *slot) {
    if (*slot < counts->inputs)
        return "input";
    *slot -= counts->inputs;
    return "auxiliary variable";
}

static bool in_a(const circuit_counts *counts, size_t slot) {
    return slot < counts->inputs || density_get(&counts->a_aux, (uint32_t)(slot - counts->inputs));
}

static bool in_b(const circuit_counts *counts, size_t slot) {
    return slot < counts->inputs ? density_get(&counts->b_input, (uint32_t)slot)
                                 : density_get(&counts->b_aux, (uint32_t)(slot - counts->inputs));
}

/* Refuses what would become a point at infinity. The extension of a used variable vanishes with probability 2^-255, that
 * of an unused one always: nothing would bind its value. */
static cuzk_status check_nonzero(const setup *s, cuzk_error *error) {
    const qap_evaluation *qap = &s->qap;
    size_t variables = (size_t)qap->counts.inputs + qap->counts.aux;
    for (size_t v = 0; v < variables; v++) {
        bool unused = fr_is_zero(&s->extension[v]);
        bool vanishes = (in_a(&qap->counts, v) && fr_is_zero(&qap->a[v])) || (in_b(&qap->counts, v) && fr_is_zero(&qap->b[v]));
        if (!unused && !vanishes)
            continue;
        size_t index = v;
        const char *kind = kind_of_slot(&qap->counts, &index);
        if (vanishes)
            return failure(error, CUZK_BAD_INPUT, "setup: tau: found a root of a polynomial of %s %zu; choose another seed", kind,
                           index);
        return failure(error, CUZK_BAD_INPUT, "setup: circuit: %s %zu: found in no constraint, expected in at least one", kind,
                       index);
    }
    return CUZK_OK;
}

static void multiple_g1(g1_affine *out, const fr *k) {
    g1 product;
    g1_from_affine(&product, G1_GENERATOR);
    g1_multiply(&product, &product, k);
    g1_to_affine(out, &product);
}

static void multiple_g2(g2_affine *out, const fr *k) {
    g2 product;
    g2_from_affine(&product, G2_GENERATOR);
    g2_multiply(&product, &product, k);
    g2_to_affine(out, &product);
}

static void make_verifying_key(setup *s, query_writer *writer) {
    const toxic_waste *waste = s->waste;
    verifying_key *vk = &s->vk;
    multiple_g1(&vk->alpha_g1, &waste->alpha);
    multiple_g1(&vk->beta_g1, &waste->beta);
    multiple_g1(&vk->delta_g1, &waste->delta);
    multiple_g2(&vk->beta_g2, &waste->beta);
    multiple_g2(&vk->gamma_g2, &waste->gamma);
    multiple_g2(&vk->delta_g2, &waste->delta);
    vk->ic_count = s->qap.counts.inputs;
    vk->ic = allocate(vk->ic_count, G1_BYTES);
    query_encode_g1(writer, vk->ic, s->extension, vk->ic_count);
}

/* Scalar stream of h: factor * tau^i. */
typedef struct {
    fr next, tau;
} power_stream;

static void next_powers(void *context, fr *out, size_t count) {
    power_stream *stream = context;
    for (size_t i = 0; i < count; i++) {
        out[i] = stream->next;
        fr_mul(&stream->next, &stream->next, &stream->tau);
    }
}

/* Scalar stream of l, a and b: the values of the variables for which `selects` holds (NULL: all). */
typedef struct {
    const fr *values;
    const circuit_counts *counts;
    bool (*selects)(const circuit_counts *counts, size_t slot);
    size_t slot;
} value_stream;

static void next_values(void *context, fr *out, size_t count) {
    value_stream *stream = context;
    for (size_t i = 0; i < count; i++) {
        while (stream->selects && !stream->selects(stream->counts, stream->slot))
            stream->slot++;
        out[i] = stream->values[stream->slot++];
    }
}

static cuzk_status write_h(const setup *s, query_writer *writer, cuzk_error *error) {
    power_stream powers = {.tau = s->waste->tau};
    fr delta_inverse;
    fr_invert(&delta_inverse, &s->waste->delta);
    ntt_vanishing_at(&powers.next, s->qap.domain_log_size, &s->waste->tau);
    fr_mul(&powers.next, &powers.next, &delta_inverse);
    return query_write_g1(writer, "query h", (UINT32_C(1) << s->qap.domain_log_size) - 1, next_powers, &powers, error);
}

static cuzk_status write_queries(const setup *s, query_writer *writer, cuzk_error *error) {
    const circuit_counts *counts = &s->qap.counts;
    TRY(write_h(s, writer, error));
    value_stream l = {.values = s->extension, .counts = counts, .slot = counts->inputs};
    TRY(query_write_g1(writer, "query l", counts->aux, next_values, &l, error));
    value_stream a = {.values = s->qap.a, .counts = counts, .selects = in_a};
    TRY(query_write_g1(writer, "query a", (uint32_t)(counts->inputs + counts->a_aux.ones), next_values, &a, error));
    uint32_t b_count = (uint32_t)(counts->b_input.ones + counts->b_aux.ones);
    value_stream b_g1 = {.values = s->qap.b, .counts = counts, .selects = in_b};
    TRY(query_write_g1(writer, "query b_g1", b_count, next_values, &b_g1, error));
    value_stream b_g2 = {.values = s->qap.b, .counts = counts, .selects = in_b};
    return query_write_g2(writer, "query b_g2", b_count, next_values, &b_g2, error);
}

static cuzk_status write_parameters(setup *s, output_file *file, cuzk_error *error) {
    const circuit_counts *counts = &s->qap.counts;
    size_t b_count = counts->b_input.ones + counts->b_aux.ones;
    size_t g1_count =
        ((size_t)1 << s->qap.domain_log_size) + 2 * (size_t)counts->inputs + counts->aux + counts->a_aux.ones + b_count;
    query_writer writer;
    TRY(query_writer_create(&writer, file->stream, file->path, g1_count, b_count, s->pool, s->job, error));
    make_verifying_key(s, &writer);
    verifying_key_write(&s->vk, file->stream);
    cuzk_status status = write_queries(s, &writer, error);
    query_writer_free(&writer);
    return status;
}

/* The notes come first: never is there a file without its note. */
static cuzk_status commit(const setup *s, output_file *parameters_file, output_file *key_file,
                          const setup_description *description, cuzk_error *error) {
    verifying_key_write(&s->vk, key_file->stream);
    TRY(development_note_write(parameters_file->path, &s->vk, description, error));
    TRY(development_note_write(key_file->path, &s->vk, description, error));
    TRY(output_file_commit(parameters_file, error));
    return output_file_commit(key_file, error);
}

static cuzk_status write_files(setup *s, const char *parameters_path, const char *verifying_key_path,
                               const setup_description *description, cuzk_error *error) {
    output_file parameters_file = {0}, key_file = {0};
    cuzk_status status = output_file_create(&parameters_file, parameters_path, error);
    if (status == CUZK_OK)
        status = output_file_create(&key_file, verifying_key_path, error);
    if (status == CUZK_OK)
        status = write_parameters(s, &parameters_file, error);
    if (status == CUZK_OK)
        status = commit(s, &parameters_file, &key_file, description, error);
    output_file_abandon(&parameters_file);
    output_file_abandon(&key_file);
    if (status == CUZK_OK)
        parameters_record_made(parameters_path, s->job);
    return status;
}

static cuzk_status run_setup(setup *s, const circuit *c, const char *parameters_path, const char *verifying_key_path,
                             const setup_description *description, cuzk_error *error) {
    TRY(check_waste(s->waste, error));
    TRY(qap_evaluate(&s->qap, c, &s->waste->tau, s->job, error));
    extend(s);
    TRY(check_nonzero(s, error));
    return write_files(s, parameters_path, verifying_key_path, description, error);
}

cuzk_status groth16_setup(const circuit *c, const toxic_waste *waste, const char *parameters_path, const char *verifying_key_path,
                          const setup_description *description, thread_pool *pool, progress *job, cuzk_error *error) {
    toxic_waste own;
    if (!waste)
        TRY(toxic_waste_random(&own, error));
    setup s = {.waste = waste ? waste : &own, .pool = pool, .job = job};
    cuzk_status status = run_setup(&s, c, parameters_path, verifying_key_path, description, error);
    qap_free(&s.qap);
    verifying_key_free(&s.vk);
    if (!waste)
        explicit_bzero(&own, sizeof own);
    return status;
}
