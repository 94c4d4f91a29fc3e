#include "groth16/layout.h"

#include <assert.h>

#include "base/bytes.h"
#include "groth16/proof.h"

static const struct {
    const char *name;
    size_t point_bytes;
} sections[SECTION_COUNT] = {{"ic", G1_BYTES}, {"h", G1_BYTES},    {"l", G1_BYTES},
                             {"a", G1_BYTES},  {"b_g1", G1_BYTES}, {"b_g2", G2_BYTES}};

const char *section_name(section s) { return sections[s].name; }
size_t section_point_bytes(section s) { return sections[s].point_bytes; }

/* A file that is walked from its beginning. */
typedef struct {
    const uint8_t *data;
    uint64_t size, position;
    const char *path;
} walk;

static cuzk_status walk_head(walk *w, cuzk_error *error) {
    if (w->size < VERIFYING_KEY_HEAD_BYTES)
        return failure(error, CUZK_BAD_INPUT, "%s: verifying key: found %llu bytes, expected at least %d", w->path,
                       (unsigned long long)w->size, VERIFYING_KEY_HEAD_BYTES + 4);
    w->position = VERIFYING_KEY_HEAD_BYTES;
    return CUZK_OK;
}

static cuzk_status walk_section(walk *w, section s, section_range *range, cuzk_error *error) {
    uint64_t left = w->size - w->position;
    if (left < 4)
        return failure(error, CUZK_BAD_INPUT, "%s: %s: found %llu bytes, expected a count of 4 bytes", w->path, section_name(s),
                       (unsigned long long)left);
    range->count = load_u32_be(w->data + w->position);
    w->position += 4;
    left -= 4;
    /* A 32-bit count times at most 192 cannot overflow 64 bits. */
    uint64_t needed = (uint64_t)range->count * section_point_bytes(s);
    if (left < needed)
        return failure(error, CUZK_BAD_INPUT, "%s: %s: found %llu bytes, expected %llu for its count of %u points", w->path,
                       section_name(s), (unsigned long long)left, (unsigned long long)needed, range->count);
    range->offset = w->position;
    w->position += needed;
    return CUZK_OK;
}

static cuzk_status walk_end(const walk *w, section last, cuzk_error *error) {
    if (w->position == w->size)
        return CUZK_OK;
    return failure(error, CUZK_BAD_INPUT, "%s: found %llu bytes, expected %llu: the file goes on behind its last section %s",
                   w->path, (unsigned long long)w->size, (unsigned long long)w->position, section_name(last));
}

static cuzk_status check_inputs(const walk *w, const file_layout *layout, cuzk_error *error) {
    if (layout->sections[SECTION_IC].count == 0)
        return failure(error, CUZK_BAD_INPUT, "%s: ic: found 0 points, expected at least 1", w->path);
    return CUZK_OK;
}

static cuzk_status check_relations(const walk *w, const file_layout *layout, cuzk_error *error) {
    const section_range *s = layout->sections;
    uint64_t domain = (uint64_t)s[SECTION_H].count + 1;
    if ((domain & (domain - 1)) != 0)
        return failure(error, CUZK_BAD_INPUT, "%s: h: found %u points, expected a power of two less one", w->path,
                       s[SECTION_H].count);
    if (s[SECTION_A].count < s[SECTION_IC].count)
        return failure(error, CUZK_BAD_INPUT, "%s: a: found %u points, expected at least the %u of ic", w->path,
                       s[SECTION_A].count, s[SECTION_IC].count);
    if (s[SECTION_B_G2].count != s[SECTION_B_G1].count)
        return failure(error, CUZK_BAD_INPUT, "%s: b_g2: found %u points, expected %u as in b_g1", w->path, s[SECTION_B_G2].count,
                       s[SECTION_B_G1].count);
    return CUZK_OK;
}

cuzk_status verifying_key_layout(file_layout *layout, const uint8_t *data, uint64_t size, const char *path, cuzk_error *error) {
    walk w = {.data = data, .size = size, .path = path};
    *layout = (file_layout){0};
    TRY(walk_head(&w, error));
    TRY(walk_section(&w, SECTION_IC, &layout->sections[SECTION_IC], error));
    TRY(walk_end(&w, SECTION_IC, error));
    return check_inputs(&w, layout, error);
}

cuzk_status parameters_layout(file_layout *layout, const uint8_t *data, uint64_t size, const char *path, cuzk_error *error) {
    walk w = {.data = data, .size = size, .path = path};
    *layout = (file_layout){0};
    TRY(walk_head(&w, error));
    for (section s = SECTION_IC; s < SECTION_COUNT; s++)
        TRY(walk_section(&w, s, &layout->sections[s], error));
    TRY(walk_end(&w, SECTION_B_G2, error));
    TRY(check_inputs(&w, layout, error));
    return check_relations(&w, layout, error);
}

static bool is_compressed(uint8_t first_byte) { return (first_byte & 0x80) != 0; }

/* A proof's three points begin with the flag of compression, those of the other files without. */
static bool looks_like_proofs(const mapped_file *file) {
    if (file->size == 0 || file->size % PROOF_BYTES != 0)
        return false;
    for (uint64_t at = 0; at < file->size; at += PROOF_BYTES)
        if (!is_compressed(file->data[at]) || !is_compressed(file->data[at + G1_COMPRESSED_BYTES]) ||
            !is_compressed(file->data[at + G1_COMPRESSED_BYTES + G2_COMPRESSED_BYTES]))
            return false;
    return true;
}

void file_describe(file_description *description, const mapped_file *file, const char *path) {
    *description = (file_description){.kind = FILE_UNKNOWN};
    if (looks_like_proofs(file)) {
        description->kind = FILE_PROOFS;
        description->proofs = file->size / PROOF_BYTES;
    } else if (verifying_key_layout(&description->layout, file->data, file->size, path, NULL) == CUZK_OK) {
        description->kind = FILE_VERIFYING_KEY;
    } else if (parameters_layout(&description->layout, file->data, file->size, path, &description->reason) == CUZK_OK) {
        description->kind = FILE_PARAMETERS;
    } else if (file->size > 0 && is_compressed(file->data[0])) {
        failure(&description->reason, CUZK_BAD_INPUT, "%s: found %llu bytes, expected proofs of %d bytes each", path,
                (unsigned long long)file->size, PROOF_BYTES);
    }
}
