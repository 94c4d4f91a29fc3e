/* The wire format's walker, UTF-8, bounded unpacking, and requests split from their vanilla proofs. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include <proving.pb-c.h>

#include "base/memory.h"
#include "rpc/request.h"

/* ---- UTF-8 ---------------------------------------------------------------------------------------------------------- */

/* RFC 3629 by its definition: decode, then ask whether it is the shortest form of a code point that is no surrogate. */
static bool slow_utf8_valid(const uint8_t *b, size_t length) {
    for (size_t i = 0; i < length;) {
        unsigned ones = 0;
        while (ones < 8 && (b[i] << ones & 0x80))
            ones++;
        size_t more = ones == 0 ? 0 : ones - 1;
        if (ones == 1 || ones > 4 || length - i <= more)
            return false;
        uint32_t point = ones == 0 ? b[i] : b[i] & (0x7fu >> ones);
        for (size_t k = 1; k <= more; k++) {
            if (b[i + k] >> 6 != 2)
                return false;
            point = point << 6 | (b[i + k] & 0x3fu);
        }
        static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
        if (point < smallest[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
            return false;
        i += more + 1;
    }
    return true;
}

static void test_utf8(void **state) {
    (void)state;
    uint8_t b[5] = {0};
    for (unsigned first = 0; first < 256; first++) /* every pair, then borders of the third and fourth byte */
        for (unsigned second = 0; second < 256; second++) {
            b[0] = (uint8_t)first, b[1] = (uint8_t)second;
            static const uint8_t borders[] = {0x00, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
            assert_int_equal(utf8_valid(b, 1), slow_utf8_valid(b, 1));
            assert_int_equal(utf8_valid(b, 2), slow_utf8_valid(b, 2));
            for (size_t i = 0; i < sizeof borders * sizeof borders; i++) {
                b[2] = borders[i % sizeof borders], b[3] = borders[i / sizeof borders];
                assert_int_equal(utf8_valid(b, 3), slow_utf8_valid(b, 3));
                assert_int_equal(utf8_valid(b, 4), slow_utf8_valid(b, 4));
                assert_int_equal(utf8_valid(b, 5), slow_utf8_valid(b, 5));
            }
        }
}

/* ---- Walking -------------------------------------------------------------------------------------------------------- */

static void test_walk(void **state) {
    (void)state;
    static const uint8_t bytes[] = {0x08, 0x96, 0x01, 0x12, 0x02, 'h', 'i', 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4};
    wire_reader reader = {.at = bytes, .end = bytes + sizeof bytes};
    wire_field f;
    assert_true(wire_next(&reader, &f) && f.number == 1 && f.type == 0 && f.value == 150);
    assert_true(wire_next(&reader, &f) && f.number == 2 && f.length == 2 && memcmp(f.data, "hi", 2) == 0);
    assert_true(wire_next(&reader, &f) && f.number == 3 && f.type == 1 && f.length == 8);
    assert_true(wire_next(&reader, &f) && f.number == 4 && f.type == 5 && f.length == 4);
    assert_false(wire_next(&reader, &f));
    assert_false(reader.malformed);
    for (size_t cut = 1; cut < sizeof bytes; cut++) { /* cut anywhere but between fields: malformed, and never past the end */
        reader = (wire_reader){.at = bytes, .end = bytes + cut};
        while (wire_next(&reader, &f))
            ;
        assert_int_equal(reader.malformed, !(cut == 3 || cut == 7 || cut == 16));
    }
}

static void test_walk_refuses(void **state) {
    (void)state;
    static const struct {
        uint8_t bytes[16];
        size_t length;
    } cases[] = {
        {{0x00, 0x00}, 2}, /* field 0 */
        {{0x0b}, 1},       /* a group */
        {{0x0e, 0x00}, 2},
        {{0x0f, 0x00}, 2},                                                           /* wire types that are none */
        {{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 11},    /* a length of 2^64 - 1 */
        {{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 'x'}, 7},                              /* 2^32 - 1 */
        {{0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1}, 12}, /* a varint without end */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wire_reader reader = {.at = cases[i].bytes, .end = cases[i].bytes + cases[i].length};
        wire_field f;
        while (wire_next(&reader, &f))
            ;
        assert_true(reader.malformed);
    }
}

/* ---- Unpacking ------------------------------------------------------------------------------------------------------ */

static void test_strings_are_checked(void **state) {
    (void)state;
    static const struct {
        uint8_t bytes[16];
        size_t length;
        const char *message; /* NULL: fine */
    } cases[] = {
        {{0x0a, 2, 0xc3, 0xa9}, 4, NULL},
        {{0x0a, 0}, 2, NULL},
        {{0x0a, 2, 0xc3, 0x28}, 4, "job_id: found 2 bytes that are not UTF-8, expected text"},
        {{0x0a, 3, 'a', 0, 'b'}, 5, "job_id: found a NUL character, expected text without"},
        {{0x0a, 1, 'a', 0x0a, 1, 0xff}, 6, "job_id: found 1 bytes that are not UTF-8, expected text"},
        {{0x0a, 9, 'a'}, 3, "found bytes that are not a AwaitProofRequest message"},
        {{0x0d, 1, 2, 3, 4}, 5, NULL}, /* a known number with another type: unknown, skipped */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ProtobufCMessage *message;
        bounded_allocator allocator;
        cuzk_error error = {0};
        cuzk_status status = message_unpack(&message, &allocator, &cuzk__v1__await_proof_request__descriptor, cases[i].bytes,
                                            cases[i].length, &error);
        if (cases[i].message) {
            assert_int_equal(status, CUZK_BAD_INPUT);
            assert_string_equal(error.message, cases[i].message);
            assert_null(message);
        } else if (status == CUZK_OK) {
            message_free(message, &allocator);
        } else {
            assert_string_equal(error.message,
                                "found bytes that are not a AwaitProofRequest message"); /* protobuf-c is stricter */
        }
    }
}

/* Two bytes of message that take 50 of memory: refused before the memory is there. */
static void test_memory_is_bounded(void **state) {
    (void)state;
    const size_t length = 16 << 20;
    uint8_t *bytes = allocate(length, 1);
    for (size_t i = 0; i < length; i += 2)
        bytes[i] = 0x5a, bytes[i + 1] = 0; /* field 11, empty */
    ProtobufCMessage *message;
    bounded_allocator allocator;
    cuzk_error error = {0};
    size_t before = peak_resident_bytes();
    assert_int_equal(message_unpack(&message, &allocator, &cuzk__v1__submit_proof_request__descriptor, bytes, length, &error),
                     CUZK_BAD_INPUT);
    assert_true(allocator.refused);
    assert_null(message);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_true(peak_resident_bytes() - before < length + (8 << 20));
#else
    (void)before;
#endif
    unpacked_request unpacked;
    assert_int_equal(request_unpack(&unpacked, bytes, length, false, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "vanilla_proofs: found more than 4096");
    unpacked_request_free(&unpacked);
    for (size_t i = 0; i < length; i += 2)
        bytes[i] = 0x7a; /* field 15: unknown */
    assert_int_equal(request_unpack(&unpacked, bytes, length, false, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "found more than 65536 bytes in fields other than the vanilla proofs");
    unpacked_request_free(&unpacked);
    free(bytes);
}

/* ---- Requests ------------------------------------------------------------------------------------------------------- */

static void random_bytes_field(test_random *random, ProtobufCBinaryData *field, size_t maximum) {
    field->len = test_random_u64(random) % (maximum + 1);
    field->data = allocate(field->len, 1);
    test_random_bytes(random, field->data, field->len);
}

static Cuzk__V1__SubmitProofRequest *random_message(test_random *random) {
    Cuzk__V1__SubmitProofRequest *m = allocate(1, sizeof *m);
    *m = (Cuzk__V1__SubmitProofRequest)CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    m->request_id = duplicate_string(test_random_u64(random) % 2 ? "wdpost-1000-3-[1 2 3]" : "");
    m->proof_kind = (Cuzk__V1__ProofKind)(test_random_u64(random) % 7);
    m->priority = (Cuzk__V1__Priority)(test_random_u64(random) % 7);
    m->sector_size = test_random_u64(random);
    m->registered_proof = test_random_u64(random) % 3;
    m->sector_number = test_random_u64(random);
    m->miner_id = test_random_u64(random) >> 40;
    m->partition_index = (uint32_t)test_random_u64(random);
    random_bytes_field(random, &m->vanilla_proof, 300);
    random_bytes_field(random, &m->randomness, 33);
    random_bytes_field(random, &m->comm_r_old, 33);
    random_bytes_field(random, &m->comm_r_new, 33);
    random_bytes_field(random, &m->comm_d_new, 33);
    m->n_vanilla_proofs = test_random_u64(random) % 20;
    m->vanilla_proofs = allocate(m->n_vanilla_proofs, sizeof *m->vanilla_proofs);
    for (size_t i = 0; i < m->n_vanilla_proofs; i++)
        random_bytes_field(random, &m->vanilla_proofs[i], 40);
    return m;
}

static void assert_bytes_equal(cuzk_bytes a, ProtobufCBinaryData b) {
    assert_int_equal(a.length, b.len);
    if (a.length)
        assert_memory_equal(a.data, b.data, a.length);
}

/* What request_unpack makes of the bytes is what protobuf-c makes of them. */
static void assert_same(const cuzk_request *r, const Cuzk__V1__SubmitProofRequest *m) {
    assert_int_equal(r->request_id.length, strlen(m->request_id));
    assert_memory_equal(r->request_id.data, m->request_id, r->request_id.length);
    assert_int_equal(r->proof_kind, (uint32_t)m->proof_kind);
    assert_int_equal(r->priority, (uint32_t)m->priority);
    assert_int_equal(r->sector_size, m->sector_size);
    assert_int_equal(r->registered_proof, m->registered_proof);
    assert_int_equal(r->sector_number, m->sector_number);
    assert_int_equal(r->miner_id, m->miner_id);
    assert_int_equal(r->partition_index, m->partition_index);
    assert_bytes_equal(r->vanilla_proof, m->vanilla_proof);
    assert_bytes_equal(r->randomness, m->randomness);
    assert_bytes_equal(r->comm_r_old, m->comm_r_old);
    assert_bytes_equal(r->comm_r_new, m->comm_r_new);
    assert_bytes_equal(r->comm_d_new, m->comm_d_new);
    assert_int_equal(r->vanilla_proof_count, m->n_vanilla_proofs);
    for (size_t i = 0; i < m->n_vanilla_proofs; i++)
        assert_bytes_equal(r->vanilla_proofs[i], m->vanilla_proofs[i]);
}

static uint8_t *packed(const ProtobufCMessage *message, size_t *length) {
    *length = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = allocate(*length, 1);
    protobuf_c_message_pack(message, bytes);
    return bytes;
}

static void test_requests(void **state) {
    (void)state;
    test_random random = {.state = 9820};
    for (int i = 0; i < 500; i++) {
        Cuzk__V1__SubmitProofRequest *m = random_message(&random);
        Cuzk__V1__ProveRequest prove = CUZK__V1__PROVE_REQUEST__INIT;
        prove.submit = m;
        for (int inside_prove = 0; inside_prove < 2; inside_prove++) {
            size_t length;
            uint8_t *bytes = packed(inside_prove ? &prove.base : &m->base, &length);
            unpacked_request unpacked;
            cuzk_error error = {0};
            ASSERT_OK(request_unpack(&unpacked, bytes, length, inside_prove, &error));
            assert_same(&unpacked.request, m);
            unpacked_request_free(&unpacked);
            free(bytes);
        }
        cuzk__v1__submit_proof_request__free_unpacked(m, NULL);
    }
}

/* Two messages' bytes one after another are one message, fields of the second over those of the first, lists joined:
 * protobuf's rule for merging. The same holds for two submit fields in a ProveRequest. */
static void test_merging(void **state) {
    (void)state;
    test_random random = {.state = 1};
    for (int i = 0; i < 200; i++) {
        Cuzk__V1__SubmitProofRequest *a = random_message(&random), *b = random_message(&random);
        size_t length_a, length_b;
        uint8_t *bytes_a = packed(&a->base, &length_a), *bytes_b = packed(&b->base, &length_b);
        uint8_t *both = allocate(length_a + length_b, 1);
        memcpy(both, bytes_a, length_a);
        memcpy(both + length_a, bytes_b, length_b);
        Cuzk__V1__SubmitProofRequest *merged = cuzk__v1__submit_proof_request__unpack(NULL, length_a + length_b, both);
        unpacked_request unpacked;
        cuzk_error error = {0};
        ASSERT_OK(request_unpack(&unpacked, both, length_a + length_b, false, &error));
        assert_same(&unpacked.request, merged);
        unpacked_request_free(&unpacked);

        Cuzk__V1__ProveRequest prove = CUZK__V1__PROVE_REQUEST__INIT;
        size_t prove_a_length, prove_b_length;
        prove.submit = a;
        uint8_t *prove_a = packed(&prove.base, &prove_a_length);
        prove.submit = b;
        uint8_t *prove_b = packed(&prove.base, &prove_b_length);
        uint8_t *prove_both = allocate(prove_a_length + prove_b_length, 1);
        memcpy(prove_both, prove_a, prove_a_length);
        memcpy(prove_both + prove_a_length, prove_b, prove_b_length);
        ASSERT_OK(request_unpack(&unpacked, prove_both, prove_a_length + prove_b_length, true, &error));
        assert_same(&unpacked.request, merged);
        unpacked_request_free(&unpacked);

        free(prove_a), free(prove_b), free(prove_both), free(bytes_a), free(bytes_b), free(both);
        cuzk__v1__submit_proof_request__free_unpacked(merged, NULL);
        cuzk__v1__submit_proof_request__free_unpacked(a, NULL);
        cuzk__v1__submit_proof_request__free_unpacked(b, NULL);
    }
}

static void test_requests_refused(void **state) {
    (void)state;
    static const struct {
        uint8_t bytes[16];
        size_t length;
        bool inside_prove;
        const char *message;
    } cases[] = {
        {{0}, 0, true, "submit: found nothing, expected the request"},
        {{0x10, 1}, 2, true, "submit: found nothing, expected the request"},
        {{0x08, 1}, 2, true, "submit: found a number, expected a message"},
        {{0x0a, 3, 0x0a, 5, 'x'}, 5, true, "found bytes that are not a SubmitProofRequest message"},
        {{0x0a, 9}, 2, true, "found bytes that are not a ProveRequest message"},
        {{0x52, 9, 'x'}, 3, false, "found bytes that are not a SubmitProofRequest message"},
        {{0x0a, 1, 0xff}, 3, false, "request_id: found 1 bytes that are not UTF-8, expected text"},
        {{0x0a, 3, 0x0a, 1, 0}, 5, true, "request_id: found a NUL character, expected text without"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unpacked_request unpacked;
        cuzk_error error = {0};
        assert_int_equal(request_unpack(&unpacked, cases[i].bytes, cases[i].length, cases[i].inside_prove, &error),
                         CUZK_BAD_INPUT);
        assert_string_equal(error.message, cases[i].message);
        unpacked_request_free(&unpacked);
    }
    unpacked_request unpacked; /* nothing at all is a request with every field at its default */
    cuzk_error error = {0};
    ASSERT_OK(request_unpack(&unpacked, NULL, 0, false, &error));
    assert_int_equal(unpacked.request.proof_kind, 0);
    unpacked_request_free(&unpacked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_walk_refuses),
        cmocka_unit_test(test_strings_are_checked),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_merging),
        cmocka_unit_test(test_requests_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
