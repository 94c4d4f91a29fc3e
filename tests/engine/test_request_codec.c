/* Requests as stored: round trips, digests, hostile bytes, labels. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "engine/request_codec.h"

typedef struct {
    uint8_t *bytes;
    size_t length, capacity;
} buffer;

static bool append(void *context, const void *bytes, size_t length) {
    buffer *b = context;
    if (b->length + length > b->capacity)
        return false;
    memcpy(b->bytes + b->length, bytes, length);
    b->length += length;
    return true;
}

static cuzk_bytes text(const char *string) { return (cuzk_bytes){(const uint8_t *)string, strlen(string)}; }

static cuzk_request sample(cuzk_bytes proofs[3]) {
    proofs[0] = text("first");
    proofs[1] = (cuzk_bytes){NULL, 0};
    proofs[2] = text("third");
    return (cuzk_request){.request_id = text("wdpost-1-2-[3 4]"),
                          .proof_kind = CUZK_WINDOW_POST_PARTITION,
                          .priority = CUZK_PRIORITY_HIGH,
                          .sector_size = 2048,
                          .registered_proof = 10,
                          .vanilla_proof = text("x"),
                          .vanilla_proofs = proofs,
                          .vanilla_proof_count = 3,
                          .sector_number = UINT64_MAX,
                          .miner_id = 1002,
                          .randomness = text("0123456789abcdef0123456789abcdef"),
                          .partition_index = 7,
                          .comm_r_new = text("0123456789abcdef0123456789abcdeX")};
}

static buffer encode(const cuzk_request *request) {
    buffer b = {.capacity = (size_t)request_encoded_bytes(request)};
    b.bytes = malloc(b.capacity);
    assert_non_null(b.bytes);
    assert_true(request_encode(request, append, &b));
    assert_int_equal(b.length, b.capacity);
    return b;
}

static void round_trip(void **state) {
    (void)state;
    cuzk_bytes proofs[3];
    cuzk_request request = sample(proofs), read;
    buffer b = encode(&request);
    cuzk_error error = {0};
    ASSERT_OK(request_decode(&read, b.bytes, b.length, &error));
    assert_int_equal(read.proof_kind, CUZK_WINDOW_POST_PARTITION);
    assert_int_equal(read.sector_number, UINT64_MAX);
    assert_int_equal(read.partition_index, 7);
    assert_int_equal(read.vanilla_proof_count, 3);
    assert_int_equal(read.vanilla_proofs[1].length, 0);
    assert_memory_equal(read.vanilla_proofs[2].data, "third", 5);
    assert_memory_equal(read.request_id.data, "wdpost-1-2-[3 4]", 16);
    uint8_t a[REQUEST_DIGEST_BYTES], c[REQUEST_DIGEST_BYTES], d[REQUEST_DIGEST_BYTES];
    request_digest(a, &request);
    request_digest(c, &read);
    bytes_digest(d, b.bytes, b.length);
    assert_memory_equal(a, c, sizeof a);
    assert_memory_equal(a, d, sizeof a);
    request_decoded_free(&read);
    free(b.bytes);
}

/* Bytes that move from one field to the next make another request. */
static void fields_do_not_run_together(void **state) {
    (void)state;
    cuzk_bytes one[2] = {text("ab"), text("c")}, two[2] = {text("a"), text("bc")};
    cuzk_request a = {.vanilla_proofs = one, .vanilla_proof_count = 2}, b = {.vanilla_proofs = two, .vanilla_proof_count = 2};
    cuzk_request c = {.request_id = text("a"), .randomness = text("b")}, d = {.request_id = text("ab")};
    uint8_t digests[4][REQUEST_DIGEST_BYTES];
    request_digest(digests[0], &a);
    request_digest(digests[1], &b);
    request_digest(digests[2], &c);
    request_digest(digests[3], &d);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            assert_memory_not_equal(digests[i], digests[k], REQUEST_DIGEST_BYTES);
}

static void sink_that_stops(void **state) {
    (void)state;
    cuzk_bytes proofs[3];
    cuzk_request request = sample(proofs);
    uint64_t bytes = request_encoded_bytes(&request);
    uint8_t *memory = malloc((size_t)bytes);
    assert_non_null(memory);
    for (size_t room = 0; room < bytes; room++) {
        buffer b = {.bytes = memory, .capacity = room};
        assert_false(request_encode(&request, append, &b));
    }
    free(memory);
}

static void cut_and_hostile_encodings(void **state) {
    (void)state;
    cuzk_bytes proofs[3];
    cuzk_request request = sample(proofs), read;
    buffer b = encode(&request);
    cuzk_error error = {0};
    for (size_t length = 0; length < b.length; length++) {
        uint8_t *cut = malloc(length + 1); /* so that a read beyond it is seen */
        assert_non_null(cut);
        memcpy(cut, b.bytes, length);
        assert_int_equal(request_decode(&read, cut, length, &error), CUZK_BAD_INPUT);
        free(cut);
    }
    static const uint64_t counts[] = {UINT32_MAX, UINT64_C(1) << 61, UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX / 16 + 2};
    for (size_t at = 52; at + 8 <= b.length; at++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            uint8_t *hostile = malloc(b.length);
            assert_non_null(hostile);
            memcpy(hostile, b.bytes, b.length);
            store_u64_le(hostile + at, counts[i]);
            if (request_decode(&read, hostile, b.length, &error) == CUZK_OK)
                request_decoded_free(&read); /* it hit bytes that are no length */
            free(hostile);
        }
    free(b.bytes);
}

static void labels(void **state) {
    (void)state;
    char label[16];
    request_label(label, sizeof label, text("wdpost-1 [2]"));
    assert_string_equal(label, "wdpost-1 [2]");
    request_label(label, sizeof label, text("<a href=\"'&\\`>"));
    assert_string_equal(label, "?a href=??????");
    request_label(label, sizeof label, text("0123456789abcdefgh"));
    assert_string_equal(label, "0123456789ab...");
    request_label(label, sizeof label, (cuzk_bytes){(const uint8_t *)"a\0b\n\x7f\xff", 6});
    assert_string_equal(label, "a?b???");
    request_label(label, sizeof label, (cuzk_bytes){NULL, 0});
    assert_string_equal(label, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),        cmocka_unit_test(fields_do_not_run_together), cmocka_unit_test(sink_that_stops),
        cmocka_unit_test(cut_and_hostile_encodings), cmocka_unit_test(labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
