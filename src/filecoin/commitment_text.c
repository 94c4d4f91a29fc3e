#include "filecoin/commitment_text.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mapped_file.h"

/* What stands before the 32 bytes: version, codec, hash and length, the numbers as unsigned LEB128. */
enum { LONGEST_PREFIX = 8, CID_BYTES = LONGEST_PREFIX + 32 };
typedef struct {
    const char *name;
    uint8_t prefix_length;
    uint8_t prefix[LONGEST_PREFIX];
} cid_kind;

static const cid_kind CID_KINDS[] = {
    [COMMITMENT_DATA] = {"comm_d", 7, {0x01, 0x81, 0xe2, 0x03, 0x92, 0x20, 0x20}},
    [COMMITMENT_REPLICA] = {"comm_r", 8, {0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20}},
};

static const char BASE32[] = "abcdefghijklmnopqrstuvwxyz234567";

/* RFC 4648 base32 without padding. Returns the number of bytes, or -1 if the text is not that of whole bytes. */
static int base32_decode(uint8_t *bytes, size_t capacity, const char *text, size_t length) {
    uint32_t bits = 0;
    unsigned held = 0;
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        const char *digit = memchr(BASE32, text[i], sizeof BASE32 - 1);
        if (!digit)
            return -1;
        bits = bits << 5 | (uint32_t)(digit - BASE32);
        held += 5;
        if (held >= 8) {
            held -= 8;
            if (count == capacity)
                return -1;
            bytes[count++] = (uint8_t)(bits >> held);
        }
    }
    return held < 5 && (bits & ((1u << held) - 1)) == 0 ? (int)count : -1;
}

static cuzk_status parse(uint8_t commitment[32], commitment_kind kind, const char *text, size_t length, const char *name,
                         cuzk_error *error) {
    const cid_kind *form = &CID_KINDS[kind];
    uint8_t cid[CID_BYTES];
    int bytes = length > 0 && text[0] == 'b' ? base32_decode(cid, sizeof cid, text + 1, length - 1) : -1;
    if (bytes == form->prefix_length + 32 && memcmp(cid, form->prefix, form->prefix_length) == 0) {
        memcpy(commitment, cid + form->prefix_length, 32);
        return CUZK_OK;
    }
    return failure(error, CUZK_BAD_INPUT, "%s: found %.*s, expected the CID of a %s or 64 hexadecimal digits", name,
                   (int)(length < 100 ? length : 100), text, form->name);
}

cuzk_status commitment_parse(uint8_t commitment[32], commitment_kind kind, const char *text, const char *name,
                             cuzk_error *error) {
    if (hex_decode(commitment, 32, text))
        return CUZK_OK;
    return parse(commitment, kind, text, strlen(text), name, error);
}

/* The next word of a text that is not NUL-terminated. */
static size_t next_word(const char **word, const char **text, const char *end) {
    while (*text < end && isspace((unsigned char)**text))
        (*text)++;
    *word = *text;
    while (*text < end && !isspace((unsigned char)**text))
        (*text)++;
    return (size_t)(*text - *word);
}

static cuzk_status read_words(uint8_t commitments[2][32], const char *text, const char *end, cuzk_error *error) {
    static const char letters[2] = "dr";
    for (unsigned i = 0; i < 2; i++) {
        const char *word;
        size_t length = next_word(&word, &text, end);
        if (length < 2 || word[0] != letters[i] || word[1] != ':')
            return failure(error, CUZK_BAD_INPUT, "word %u: found '%.*s', expected '%c:<CID>'", i + 1,
                           (int)(length < 100 ? length : 100), word, letters[i]);
        commitment_kind kind = i == 0 ? COMMITMENT_DATA : COMMITMENT_REPLICA;
        TRY(parse(commitments[i], kind, word + 2, length - 2, CID_KINDS[kind].name, error));
    }
    const char *word;
    if (next_word(&word, &text, end) > 0)
        return failure(error, CUZK_BAD_INPUT, "found a third word, expected two: 'd:<CID> r:<CID>'");
    return CUZK_OK;
}

cuzk_status commitments_read(uint8_t comm_d[32], uint8_t comm_r[32], const char *path, cuzk_error *error) {
    mapped_file file;
    TRY(mapped_file_open(&file, path, error));
    uint8_t commitments[2][32];
    const char *text = file.data ? (const char *)file.data : "";
    cuzk_status status = read_words(commitments, text, text + file.size, error);
    mapped_file_close(&file);
    if (status != CUZK_OK)
        return failure_within(error, status, "%s: ", path);
    if (comm_d)
        memcpy(comm_d, commitments[0], 32);
    if (comm_r)
        memcpy(comm_r, commitments[1], 32);
    return CUZK_OK;
}

cuzk_status commitment_argument(uint8_t commitment[32], commitment_kind kind, const char *text, const char *name,
                                cuzk_error *error) {
    cuzk_status status = commitment_parse(commitment, kind, text, name, error);
    if (status == CUZK_OK || access(text, F_OK) != 0)
        return status;
    return kind == COMMITMENT_DATA ? commitments_read(commitment, NULL, text, error)
                                   : commitments_read(NULL, commitment, text, error);
}

void commitment_cid(char text[COMMITMENT_CID_CAPACITY], commitment_kind kind, const uint8_t commitment[32]) {
    const cid_kind *form = &CID_KINDS[kind];
    uint8_t cid[CID_BYTES + 1] = {0};
    memcpy(cid, form->prefix, form->prefix_length);
    memcpy(cid + form->prefix_length, commitment, 32);
    size_t bits = 8 * (form->prefix_length + (size_t)32);
    *text++ = 'b';
    for (size_t bit = 0; bit < bits; bit += 5) {
        unsigned pair = (unsigned)cid[bit / 8] << 8 | cid[bit / 8 + 1];
        *text++ = BASE32[pair >> (11 - bit % 8) & 31];
    }
    *text = '\0';
}
