#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"

/* Reads a document with every kind of value, in the way that formats use the reader. */
typedef struct {
    uint64_t number;
    bool flag;
    char text[16];
    uint8_t bytes[4], hex[4];
    uint64_t list[8];
    size_t list_count;
    bool has_optional;
} sample_document;

enum { NUMBER, FLAG, TEXT, BYTES, HEX, LIST, OPTIONAL, SAMPLE_MEMBERS };
static const char *const SAMPLE_NAMES[SAMPLE_MEMBERS] = {"number", "flag", "text", "bytes", "hex", "list", "optional"};

static cuzk_status read_list(json_reader *reader, sample_document *sample, cuzk_error *error) {
    TRY(json_enter_array(reader, error));
    for (bool more;;) {
        TRY(json_next_element(reader, &more, error));
        if (!more)
            return CUZK_OK;
        if (sample->list_count == 8)
            return json_failure(reader, error, "found more than 8 elements");
        json_members members = json_members_of((const char *const[]){"value"}, 1);
        TRY(json_enter_object(reader, error));
        for (int member;;) {
            TRY(json_next_member(reader, &members, &member, error));
            if (member < 0)
                break;
            TRY(json_read_unsigned(reader, UINT64_MAX, &sample->list[sample->list_count], error));
        }
        sample->list_count++;
    }
}

static cuzk_status read_members(json_reader *reader, sample_document *sample, bool skip_unknown, cuzk_error *error) {
    json_members members = json_members_of(SAMPLE_NAMES, SAMPLE_MEMBERS);
    members.optional = 1u << OPTIONAL;
    members.skip_unknown = skip_unknown;
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        switch (member) {
        case NUMBER: TRY(json_read_unsigned(reader, 1000, &sample->number, error)); break;
        case FLAG: TRY(json_read_bool(reader, &sample->flag, error)); break;
        case TEXT: TRY(json_read_text(reader, sample->text, sizeof sample->text, error)); break;
        case BYTES: TRY(json_read_bytes(reader, sample->bytes, sizeof sample->bytes, error)); break;
        case HEX: TRY(json_read_hex(reader, sample->hex, sizeof sample->hex, error)); break;
        case LIST: TRY(read_list(reader, sample, error)); break;
        case OPTIONAL:
            sample->has_optional = true;
            TRY(json_skip(reader, error));
            break;
        default: return json_read_end(reader, error);
        }
    }
}

static cuzk_status parse(const char *text, sample_document *sample, bool skip_unknown, cuzk_error *error) {
    memset(sample, 0, sizeof *sample);
    json_reader *reader = json_reader_create_memory((const uint8_t *)text, strlen(text), NULL);
    cuzk_status status = read_members(reader, sample, skip_unknown, error);
    json_reader_destroy(reader);
    return status;
}

/* A source of pieces of one size. */
typedef struct {
    const char *text;
    size_t size, position, step;
    uint8_t piece[64];
} stepping;

static cuzk_status next_step(void *context, const uint8_t **data, size_t *size, cuzk_error *error) {
    (void)error;
    stepping *steps = context;
    size_t left = steps->size - steps->position;
    *size = left < steps->step ? left : steps->step;
    memcpy(steps->piece, steps->text + steps->position, *size);
    *data = steps->piece;
    steps->position += *size;
    return CUZK_OK;
}

static const char GOOD[] = " {\"number\": 1000, \"flag\":true,\"text\":\"a\\\"\\u00e9\\\\\",\n\"bytes\":[0,1,200,255],"
                           "\"hex\":\"0x00fF10aa\",\"list\":[{\"value\":18446744073709551615},{\"value\":0}] } \n";

static void check_good(const sample_document *sample) {
    assert_int_equal(sample->number, 1000);
    assert_true(sample->flag);
    assert_string_equal(sample->text, "a\"\xc3\xa9\\");
    assert_memory_equal(sample->bytes, "\x00\x01\xc8\xff", 4);
    assert_memory_equal(sample->hex, "\x00\xff\x10\xaa", 4);
    assert_int_equal(sample->list_count, 2);
    assert_true(sample->list[0] == UINT64_MAX && sample->list[1] == 0);
    assert_false(sample->has_optional);
}

static void values_are_read(void **state) {
    (void)state;
    cuzk_error error = {0};
    sample_document sample;
    ASSERT_OK(parse(GOOD, &sample, false, &error));
    check_good(&sample);
    ASSERT_OK(parse("{\"list\":[],\"x\":{\"y\":[[],{}, null, 1e99, \"\"]},\"number\":0,\"flag\":false,\"text\":\"\","
                    "\"optional\":[1,{}],\"bytes\":[1,2,3,4],\"hex\":\"00000000\"}",
                    &sample, true, &error));
    assert_true(sample.has_optional);
}

static void pieces_may_end_anywhere(void **state) {
    (void)state;
    for (size_t step = 1; step <= 64; step++) {
        stepping steps = {.text = GOOD, .size = strlen(GOOD), .step = step};
        cuzk_error error = {0};
        sample_document sample = {0};
        json_reader *reader = json_reader_create(next_step, &steps, NULL);
        ASSERT_OK(read_members(reader, &sample, false, &error));
        json_reader_destroy(reader);
        check_good(&sample);
    }
}

static void truncation_is_an_error_everywhere(void **state) {
    (void)state;
    size_t last = strlen(GOOD) - 2; /* the closing brace */
    for (size_t length = 0; length < last; length++) {
        stepping steps = {.text = GOOD, .size = length, .step = 7};
        cuzk_error error = {0};
        sample_document sample = {0};
        json_reader *reader = json_reader_create(next_step, &steps, NULL);
        assert_int_equal(read_members(reader, &sample, false, &error), CUZK_BAD_INPUT);
        assert_true(error.message[0] != '\0');
        json_reader_destroy(reader);
    }
}

static void expect_error(const char *text, const char *message) {
    cuzk_error error = {0};
    sample_document sample;
    assert_int_equal(parse(text, &sample, false, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, message);
}

static void errors_name_path_found_expected_and_position(void **state) {
    (void)state;
    expect_error("", "not JSON: parse error: premature EOF (byte 0)");
    expect_error("[]", "found an array, expected an object (byte 0)");
    expect_error("{\"number\":1001}", "number: found 1001, expected an integer from 0 to 1000 (byte 10)");
    expect_error("{\"number\":-1}", "number: found -1, expected an integer from 0 to 1000 (byte 10)");
    expect_error("{\"number\":1.0}", "number: found 1.0, expected an integer from 0 to 1000 (byte 10)");
    expect_error("{\"number\":1e2}", "number: found 1e2, expected an integer from 0 to 1000 (byte 10)");
    expect_error("{\"number\":123456789012345678901234567890123456789012345}",
                 "number: found 1234567890123456789012345678901234567890..., expected an integer from 0 to 1000 (byte 10)");
    expect_error("{\"number\":\"1\"}", "number: found \"1\", expected an integer from 0 to 1000 (byte 11)");
    expect_error("{\"number\":NaN}", "number: not JSON: lexical error: invalid char in json text. (byte 10)");
    expect_error("{\"flag\":null}", "flag: found null, expected true or false (byte 8)");
    expect_error("{\"text\":{}}", "text: found an object, expected a string (byte 8)");
    expect_error("{\"text\":\"0123456789abcdef\"}", "text: found a string of 16 bytes, expected at most 15 (byte 9)");
    expect_error("{\"text\":\"a\\u0000b\"}", "text: found a string with a NUL (byte 17)");
    expect_error("{\"bytes\":[1,2,3]}", "bytes: found 3 bytes, expected 4 (byte 15)");
    expect_error("{\"bytes\":[1,2,3,4,5]}", "bytes: found 5 bytes, expected 4 (byte 19)");
    expect_error("{\"bytes\":[1,256,3,4]}", "bytes[1]: found 256, expected an integer from 0 to 255 (byte 12)");
    expect_error("{\"bytes\":[1,[],3,4]}", "bytes[1]: found an array, expected an integer from 0 to 255 (byte 12)");
    expect_error("{\"bytes\":\"\"}", "bytes: found \"\", expected an array (byte 10)");
    expect_error("{\"bytes\":[1,2,3,4],\"flag\":null}", "flag: found null, expected true or false (byte 26)");
    expect_error("{\"bytes\":[1,2,3,4],\"flag\":[}", "flag: found an array, expected true or false (byte 26)");
    expect_error("{\"bytes\":[1,2,3,4],\"text\":nil}", "text: not JSON: lexical error: invalid string in json text. (byte 26)");
    expect_error("{\"hex\":\"00112233ff\"}", "hex: found \"00112233ff\", expected 4 bytes as 8 hexadecimal digits (byte 8)");
    expect_error("{\"hex\":\"0011\\u000033\"}", "hex: found \"0011\", expected 4 bytes as 8 hexadecimal digits (byte 20)");
    expect_error("{\"list\":[{\"value\":1},{\"value\":true}]}",
                 "list[1].value: found true, expected an integer from 0 to 18446744073709551615 (byte 30)");
    expect_error("{\"list\":[{\"value\":1},{}]}", "list[1]: found no \"value\" in the object (byte 22)");
    expect_error("{\"list\":[{\"value\":1,\"value\":1}]}", "list[0].value: found the field twice (byte 21)");
    expect_error("{\"nonsense\":1}", "nonsense: found a field that is not known here (byte 2)");
    expect_error("{\"number\":1} x", "found no \"flag\" in the object (byte 11)");
    expect_error("{\"number\":1,}", "number: not JSON: parse error: invalid object key (must be a string) (byte 12)");
    expect_error("{\"text\":\"\xff\"}", "text: not JSON: lexical error: invalid bytes in UTF8 string. (byte 9)");
}

static void integers_of_all_sizes_stand_side_by_side(void **state) {
    (void)state;
    static const char text[] = "[0,255,256,1,99999,-3,7,12,[8,9,[1,2]],[8,9],10,18446744073709551615,1.5,11]";
    for (size_t step = 1; step <= 64; step++) {
        static const uint64_t expected[] = {0, 255, 256, 1, 99999};
        stepping steps = {.text = text, .size = strlen(text), .step = step};
        cuzk_error error = {0};
        bool more;
        uint64_t value;
        uint8_t bytes[2];
        json_reader *reader = json_reader_create(next_step, &steps, NULL);
        ASSERT_OK(json_enter_array(reader, &error));
        for (unsigned i = 0; i < 5; i++) {
            ASSERT_OK(json_next_element(reader, &more, &error));
            assert_true(more);
            ASSERT_OK(json_read_unsigned(reader, 99999, &value, &error));
            assert_int_equal(value, expected[i]);
        }
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_skip(reader, &error));
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_skip(reader, &error));
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_read_unsigned(reader, 12, &value, &error));
        assert_int_equal(value, 12);
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_skip(reader, &error));
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_read_bytes(reader, bytes, 2, &error));
        assert_true(bytes[0] == 8 && bytes[1] == 9);
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_read_unsigned(reader, 10, &value, &error));
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_read_unsigned(reader, UINT64_MAX, &value, &error));
        assert_true(value == UINT64_MAX);
        ASSERT_OK(json_next_element(reader, &more, &error));
        assert_int_equal(json_read_unsigned(reader, UINT64_MAX, &value, &error), CUZK_BAD_INPUT);
        assert_true(strncmp(error.message, "[12]: found 1.5, expected an integer", 36) == 0);
        json_reader_destroy(reader);
    }
}

/* Sums up a document of arrays, strings and integers below 2^32, or fails. */
static cuzk_status sum_up(json_reader *reader, uint64_t *sum, cuzk_error *error) {
    const char *text;
    size_t length;
    uint64_t value;
    TRY(json_enter_array(reader, error));
    for (bool more;;) {
        TRY(json_next_element(reader, &more, error));
        *sum = *sum * 31 + 7;
        if (!more)
            return CUZK_OK;
        /* What comes next is known from the value before: so that all readers of a type are used. */
        switch (*sum % 4) {
        case 0: TRY(json_read_unsigned(reader, UINT32_MAX, &value, error)); break;
        case 1: TRY(json_skip(reader, error)); value = 1; break;
        case 2: TRY(json_read_string(reader, &text, &length, error)); value = length; break;
        default: TRY(sum_up(reader, sum, error)); value = 2; break;
        }
        *sum += value;
    }
}

static cuzk_status sum_up_document(json_reader *reader, uint64_t *sum, cuzk_error *error) {
    *sum = 0;
    cuzk_status status = sum_up(reader, sum, error);
    if (status == CUZK_OK)
        status = json_read_end(reader, error);
    json_reader_destroy(reader);
    return status;
}

/* Writes elements of the kinds that sum_up will ask for, and now and then something else. */
static char *write_elements(char *at, test_random *random, uint64_t *sum, unsigned depth) {
    static const char *const numbers[] = {"%u", "%u", "%u", "%u", "0%u", "-%u", "%u.5", "%ue1", " %u ", "%u"};
    *at++ = '[';
    for (unsigned count = (unsigned)(test_random_u64(random) % 6), i = 0;; i++) {
        *sum = *sum * 31 + 7;
        if (i == count)
            break;
        if (i > 0)
            *at++ = ',';
        uint64_t choice = test_random_u64(random);
        unsigned number = (unsigned)(choice >> 32) % (choice & 1 ? 300 : 2000), value = 1;
        unsigned form = choice % 64 < 10 ? (unsigned)(choice % 64) : 0;
        switch (*sum % 4) {
        case 0:
            at += sprintf(at, numbers[form], number);
            value = number;
            break;
        case 1: at += sprintf(at, choice & 2 ? "[%u,%u,%u]" : "\"]%u[1,\"", number % 256, number, number % 10); break;
        case 2:
            at += sprintf(at, choice & 2 ? "\"\\\"[12]\\\\\"" : "\"[1,2,3]\"");
            value = choice & 2 ? 6 : 7;
            break;
        default:
            value = 2;
            if (depth > 3) {
                at += sprintf(at, "[]");
                *sum = *sum * 31 + 7;
            } else {
                at = write_elements(at, random, sum, depth + 1);
            }
        }
        *sum += value;
    }
    *at++ = ']';
    return at;
}

/* In one piece arrays of bytes are taken past yajl; in pieces of one byte they never are; in pieces of other sizes some
 * are. All must agree on everything, and with the document. */
static void arrays_of_bytes_are_read_as_yajl_would(void **state) {
    (void)state;
    static char text[1 << 16];
    test_random random = {77};
    unsigned good = 0;
    for (unsigned run = 0; run < 20000; run++) {
        uint64_t expected = 0, sums[3];
        char *end = write_elements(text, &random, &expected, 0);
        size_t size = (size_t)(end - text);
        if (run % 4 == 0)
            text[test_random_u64(&random) % size] = "[],\"0123456789 -.\\"[test_random_u64(&random) % 18];
        uint8_t *exact = malloc(size); /* so that a read beyond its end is seen */
        memcpy(exact, text, size);
        cuzk_status statuses[3];
        for (unsigned i = 0; i < 3; i++) {
            cuzk_error error = {0};
            stepping steps = {.text = text, .size = size, .step = i == 1 ? 1 : 2 + run % 63};
            json_reader *reader = i == 0 ? json_reader_create_memory(exact, size, NULL)
                                         : json_reader_create(next_step, &steps, NULL);
            statuses[i] = sum_up_document(reader, &sums[i], &error);
            assert_int_equal(statuses[i], statuses[0]);
            assert_true(sums[i] == sums[0]);
        }
        free(exact);
        if (statuses[0] == CUZK_OK && run % 4 != 0) {
            assert_true(sums[0] == expected);
            good++;
        }
    }
    assert_true(good > 5000);
}

static void trailing_garbage_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[sizeof GOOD + 8];
        snprintf(text, sizeof text, "%s%s", GOOD, i == 0 ? "x" : "{}");
        cuzk_error error = {0};
        sample_document sample;
        assert_int_equal(parse(text, &sample, false, &error), CUZK_BAD_INPUT);
        assert_non_null(strstr(error.message, "trailing garbage"));
    }
}

static void nesting_is_limited(void **state) {
    (void)state;
    enum { COUNT = 1000000 };
    char *text = malloc(COUNT + 1);
    memset(text, '[', COUNT);
    text[COUNT] = '\0';
    cuzk_error error = {0};
    json_reader *reader = json_reader_create_memory((const uint8_t *)text, COUNT, "the test");
    assert_int_equal(json_skip(reader, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "found values nested more than 32 deep (byte 32 of the test)");
    json_reader_destroy(reader);

    memset(text + 32, ']', 32);
    reader = json_reader_create_memory((const uint8_t *)text, 64, NULL);
    ASSERT_OK(json_skip(reader, &error));
    ASSERT_OK(json_read_end(reader, &error));
    json_reader_destroy(reader);
    free(text);
}

static void long_strings_are_not_copied(void **state) {
    (void)state;
    enum { COUNT = 300000 };
    char *text = malloc(COUNT + 64);
    for (unsigned escaped = 0; escaped < 2; escaped++) {
        memset(text, 'a', COUNT);
        memcpy(text, "[\"xx\\\\\",\"", 9);
        memcpy(text + COUNT - 6, escaped ? "\\\"\\\"\",7]" : "bcde\",7]", 9);
        size_t size = strlen(text);
        cuzk_error error = {0};
        const char *string;
        size_t length;
        bool more;
        uint64_t value;
        json_reader *reader = json_reader_create_memory((const uint8_t *)text, size, NULL);
        ASSERT_OK(json_enter_array(reader, &error));
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_read_string(reader, &string, &length, &error));
        assert_int_equal(length, 3);
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_read_string(reader, &string, &length, &error));
        assert_int_equal(length, escaped ? size - 9 - 4 - 2 : size - 9 - 4);
        assert_true(string[0] == 'a' && string[length - 1] == (escaped ? '"' : 'e'));
        assert_true((string == text + 9) == !escaped);
        ASSERT_OK(json_next_element(reader, &more, &error));
        ASSERT_OK(json_read_unsigned(reader, 7, &value, &error));
        ASSERT_OK(json_next_element(reader, &more, &error));
        assert_false(more);
        ASSERT_OK(json_read_end(reader, &error));
        json_reader_destroy(reader);
    }
    free(text);
}

static cuzk_status failing_source(void *context, const uint8_t **data, size_t *size, cuzk_error *error) {
    int *calls = context;
    *data = (const uint8_t *)"[1, ";
    *size = 4;
    return (*calls)++ == 0 ? CUZK_OK : failure(error, CUZK_INPUT_OUTPUT, "the disk is gone");
}

static void errors_of_the_source_pass_through(void **state) {
    (void)state;
    int calls = 0;
    cuzk_error error = {0};
    json_reader *reader = json_reader_create(failing_source, &calls, NULL);
    assert_int_equal(json_skip(reader, &error), CUZK_INPUT_OUTPUT);
    assert_string_equal(error.message, "the disk is gone");
    json_reader_destroy(reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(pieces_may_end_anywhere),
        cmocka_unit_test(truncation_is_an_error_everywhere),
        cmocka_unit_test(errors_name_path_found_expected_and_position),
        cmocka_unit_test(integers_of_all_sizes_stand_side_by_side),
        cmocka_unit_test(arrays_of_bytes_are_read_as_yajl_would),
        cmocka_unit_test(trailing_garbage_is_refused),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(long_strings_are_not_copied),
        cmocka_unit_test(errors_of_the_source_pass_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
