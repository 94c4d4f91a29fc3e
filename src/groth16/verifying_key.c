#include "groth16/verifying_key.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "groth16/point_check.h"

static cuzk_status refuse_point(const char *path, const char *name, point_error why, cuzk_error *error) {
    return failure(error, CUZK_BAD_INPUT, "%s: %s: found %s, expected a point of order r", path, name, point_error_text(why));
}

static cuzk_status read_g1(g1_affine *out, const uint8_t **data, const char *path, const char *name, cuzk_error *error) {
    point_error why = g1_decode(out, *data, POINT_IN_SUBGROUP, false);
    *data += G1_BYTES;
    return why == POINT_OK ? CUZK_OK : refuse_point(path, name, why, error);
}

static cuzk_status read_g2(g2_affine *out, const uint8_t **data, const char *path, const char *name, cuzk_error *error) {
    point_error why = g2_decode(out, *data, POINT_IN_SUBGROUP, false);
    *data += G2_BYTES;
    return why == POINT_OK ? CUZK_OK : refuse_point(path, name, why, error);
}

static cuzk_status read_head(verifying_key *vk, const uint8_t *data, const char *path, cuzk_error *error) {
    TRY(read_g1(&vk->alpha_g1, &data, path, "alpha_g1", error));
    TRY(read_g1(&vk->beta_g1, &data, path, "beta_g1", error));
    TRY(read_g2(&vk->beta_g2, &data, path, "beta_g2", error));
    TRY(read_g2(&vk->gamma_g2, &data, path, "gamma_g2", error));
    TRY(read_g1(&vk->delta_g1, &data, path, "delta_g1", error));
    return read_g2(&vk->delta_g2, &data, path, "delta_g2", error);
}

cuzk_status verifying_key_decode(verifying_key *vk, const uint8_t *data, const file_layout *layout, const char *path,
                                 thread_pool *pool, cuzk_error *error) {
    *vk = (verifying_key){0};
    TRY(read_head(vk, data, path, error));
    section_range ic = layout->sections[SECTION_IC];
    point_check_result check = points_check(data + ic.offset, ic.count, G1_BYTES, pool, NULL);
    if (check.index < ic.count) {
        char name[32];
        snprintf(name, sizeof name, "ic[%llu]", (unsigned long long)check.index);
        return refuse_point(path, name, check.why, error);
    }
    vk->ic_count = ic.count;
    vk->ic = allocate(ic.count, G1_BYTES);
    memcpy(vk->ic, data + ic.offset, (size_t)ic.count * G1_BYTES);
    return CUZK_OK;
}

cuzk_status verifying_key_read(verifying_key *vk, const char *path, thread_pool *pool, cuzk_error *error) {
    mapped_file file;
    *vk = (verifying_key){0};
    TRY(mapped_file_open(&file, path, error));
    file_layout layout;
    cuzk_status status = verifying_key_layout(&layout, file.data, file.size, path, error);
    if (status == CUZK_OK)
        status = verifying_key_decode(vk, file.data, &layout, path, pool, error);
    mapped_file_close(&file);
    return status;
}

void verifying_key_free(verifying_key *vk) {
    free(vk->ic);
    *vk = (verifying_key){0};
}

/* The bytes in front of the points of ic. */
static void encode_head(uint8_t bytes[VERIFYING_KEY_HEAD_BYTES + 4], const verifying_key *vk) {
    g1_encode(bytes, &vk->alpha_g1);
    g1_encode(bytes += G1_BYTES, &vk->beta_g1);
    g2_encode(bytes += G1_BYTES, &vk->beta_g2);
    g2_encode(bytes += G2_BYTES, &vk->gamma_g2);
    g1_encode(bytes += G2_BYTES, &vk->delta_g1);
    g2_encode(bytes += G1_BYTES, &vk->delta_g2);
    store_u32_be(bytes + G2_BYTES, vk->ic_count);
}

void verifying_key_write(const verifying_key *vk, FILE *stream) {
    uint8_t head[VERIFYING_KEY_HEAD_BYTES + 4];
    encode_head(head, vk);
    fwrite(head, 1, sizeof head, stream);
    fwrite(vk->ic, G1_BYTES, vk->ic_count, stream);
}

bool verifying_key_equal(const verifying_key *a, const verifying_key *b) {
    uint8_t head_a[VERIFYING_KEY_HEAD_BYTES + 4], head_b[VERIFYING_KEY_HEAD_BYTES + 4];
    encode_head(head_a, a);
    encode_head(head_b, b);
    return memcmp(head_a, head_b, sizeof head_a) == 0 && memcmp(a->ic, b->ic, (size_t)a->ic_count * G1_BYTES) == 0;
}

void verifying_key_digest(uint8_t digest[VERIFYING_KEY_DIGEST_BYTES], const verifying_key *vk) {
    uint8_t head[VERIFYING_KEY_HEAD_BYTES + 4];
    encode_head(head, vk);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done =
        context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 && EVP_DigestUpdate(context, head, sizeof head) == 1 &&
        EVP_DigestUpdate(context, vk->ic, (size_t)vk->ic_count * G1_BYTES) == 1 && EVP_DigestFinal_ex(context, digest, NULL) == 1;
    assert(done);
    (void)done;
    EVP_MD_CTX_free(context);
}
