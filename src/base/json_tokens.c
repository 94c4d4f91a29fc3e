#include "base/json_tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"

static void copy_text(json_tokens *tokens, json_token *token, const uint8_t *text, size_t length) {
    if (tokens->copied + length > tokens->copies_capacity) {
        tokens->copies_capacity = 2 * (tokens->copied + length);
        tokens->copies = reallocate(tokens->copies, tokens->copies_capacity, 1);
    }
    if (length > 0)
        memcpy(tokens->copies + tokens->copied, text, length);
    token->text = (uint32_t)tokens->copied;
    token->copied = true;
    tokens->copied += length;
}

/* Position in the piece of the last byte that yajl has consumed. */
static size_t last_consumed(const json_tokens *tokens) {
    size_t consumed = tokens->fed + (tokens->piece_size > 0 ? yajl_get_bytes_consumed(tokens->parser) : 0);
    return consumed > 0 ? consumed - 1 : 0;
}

static int add(json_tokens *tokens, json_token_kind kind, const uint8_t *text, size_t length) {
    if (tokens->count == tokens->capacity)
        tokens->tokens = grow_array(tokens->tokens, tokens->count, &tokens->capacity, sizeof *tokens->tokens);
    json_token *token = &tokens->tokens[tokens->count++];
    *token = (json_token){.kind = (uint8_t)kind, .length = (uint32_t)length};

    uintptr_t offset = (uintptr_t)text - (uintptr_t)tokens->piece;
    if (text != NULL && offset <= tokens->piece_size && length <= tokens->piece_size - offset) {
        token->text = token->start = (uint32_t)offset;
        return 1;
    }
    token->start = (uint32_t)last_consumed(tokens);
    if (text != NULL)
        copy_text(tokens, token, text, length);
    return 1;
}

static int enter(json_tokens *tokens, json_token_kind kind) {
    return ++tokens->depth <= JSON_READER_DEPTH && add(tokens, kind, NULL, 0);
}

static int leave(json_tokens *tokens, json_token_kind kind) {
    tokens->depth--;
    return add(tokens, kind, NULL, 0);
}

static int add_literal(json_tokens *tokens, json_token_kind kind, uint32_t length) {
    add(tokens, kind, NULL, 0);
    json_token *token = &tokens->tokens[tokens->count - 1];
    token->start -= token->start < length ? token->start : length - 1;
    return 1;
}

static int on_null(void *context) { return add_literal(context, TOKEN_NULL, 4); }
static int on_boolean(void *context, int value) {
    return value ? add_literal(context, TOKEN_TRUE, 4) : add_literal(context, TOKEN_FALSE, 5);
}

static int on_number(void *context, const char *text, size_t length) {
    return add(context, TOKEN_NUMBER, (const uint8_t *)text, length);
}
static int on_string(void *context, const uint8_t *text, size_t length) { return add(context, TOKEN_STRING, text, length); }
static int on_key(void *context, const uint8_t *text, size_t length) { return add(context, TOKEN_KEY, text, length); }
static int on_object(void *context) { return enter(context, TOKEN_OBJECT); }
static int on_object_end(void *context) { return leave(context, TOKEN_OBJECT_END); }
static int on_array(void *context) { return enter(context, TOKEN_ARRAY); }
static int on_array_end(void *context) { return leave(context, TOKEN_ARRAY_END); }

static void *yajl_allocate(void *context, size_t size) {
    (void)context;
    return allocate(size, 1);
}
static void *yajl_reallocate(void *context, void *memory, size_t size) {
    (void)context;
    return reallocate(memory, size, 1);
}
static void yajl_release(void *context, void *memory) {
    (void)context;
    free(memory);
}

void json_tokens_init(json_tokens *tokens, json_source source, void *context) {
    static const yajl_callbacks callbacks = {
        .yajl_null = on_null,
        .yajl_boolean = on_boolean,
        .yajl_number = on_number,
        .yajl_string = on_string,
        .yajl_start_map = on_object,
        .yajl_map_key = on_key,
        .yajl_end_map = on_object_end,
        .yajl_start_array = on_array,
        .yajl_end_array = on_array_end,
    };
    static yajl_alloc_funcs allocation = {yajl_allocate, yajl_reallocate, yajl_release, NULL};
    tokens->source = source;
    tokens->context = context;
    tokens->parser = yajl_alloc(&callbacks, &allocation, tokens);
}

void json_tokens_free(json_tokens *tokens) {
    yajl_free(tokens->parser);
    free(tokens->tokens);
    free(tokens->copies);
}

static void record_problem(json_tokens *tokens) {
    tokens->problem_offset = tokens->piece_offset + last_consumed(tokens);
    if (tokens->depth > JSON_READER_DEPTH) {
        snprintf(tokens->problem, sizeof tokens->problem, "found values nested more than %d deep", JSON_READER_DEPTH);
        return;
    }
    unsigned char *text = yajl_get_error(tokens->parser, 0, NULL, 0);
    snprintf(tokens->problem, sizeof tokens->problem, "not JSON: %.*s", (int)strcspn((const char *)text, "\n"),
             (const char *)text);
    yajl_free_error(tokens->parser, text);
}

/* Hands yajl the piece from where it is up to end. */
static bool feed(json_tokens *tokens, size_t end) {
    yajl_status status = yajl_parse(tokens->parser, tokens->piece + tokens->fed, end - tokens->fed);
    if (status != yajl_status_ok)
        record_problem(tokens);
    tokens->fed = end;
    return status == yajl_status_ok;
}

/* Reads integers from 0 to 255 with commas between them and a bracket behind, from position `at` on. Returns the
 * bracket's position, or 0 (and nothing is kept) if there is anything else, or the end of the piece. No branch depends on
 * the lengths of the numbers, which are random. */
static size_t scan_bytes(json_tokens *tokens, size_t at) {
    uint8_t *first = tokens->bytes + tokens->byte_count;
    size_t room = sizeof tokens->bytes - tokens->byte_count;
    const uint8_t *p = tokens->piece + at, *end = tokens->piece + tokens->piece_size;
    for (size_t i = 0; i < room && end - p >= 4; i++) {
        uint32_t word = load_u32_le(p) ^ 0x30303030; /* digits become their values */
        uint32_t others = ((word + 0x76767676) | word) & 0x80808080;
        unsigned length = others != 0 ? (unsigned)__builtin_ctz(others) / 8 : 4;
        if (length == 0 || length == 4 || (length > 1 && (word & 0xff) == 0))
            return 0;
        uint32_t digits = word << (8 * (3 - length)) & 0xffffff;
        uint32_t value = 100 * (digits & 0xff) + 10 * (digits >> 8 & 0xff) + (digits >> 16);
        if (value > UINT8_MAX)
            return 0;
        first[i] = (uint8_t)value;
        p += length;
        if (*p != ',') {
            if (*p != ']')
                return 0;
            tokens->byte_count += i + 1;
            return (size_t)(p - tokens->piece);
        }
        p++;
    }
    return 0;
}

bool json_leave_string(const uint8_t *data, size_t size, size_t *at, bool *escaped) {
    size_t begin = *escaped ? *at + 1 : *at;
    for (;;) {
        const uint8_t *quote = begin < size ? memchr(data + begin, '"', size - begin) : NULL;
        size_t end = quote != NULL ? (size_t)(quote - data) : size, first_backslash = end;
        while (first_backslash > begin && data[first_backslash - 1] == '\\')
            first_backslash--;
        *escaped = (end - first_backslash) % 2 != 0;
        if (quote == NULL || !*escaped) {
            *at = quote != NULL ? end + 1 : size;
            return quote != NULL;
        }
        begin = end + 1;
    }
}

/* Looks through a piece for arrays of bytes, takes those and feeds the rest to yajl. */
static void parse_piece(json_tokens *tokens) {
    const uint8_t *piece = tokens->piece;
    size_t at = 0, size = tokens->piece_size;
    tokens->fed = 0;
    while (at < size) {
        if (tokens->in_string) {
            tokens->in_string = !json_leave_string(piece, size, &at, &tokens->escaped);
            continue;
        }
        uint8_t c = piece[at++];
        tokens->in_string = c == '"';
        size_t first = tokens->byte_count, end = c == '[' ? scan_bytes(tokens, at) : 0;
        if (end == 0)
            continue;
        if (!feed(tokens, at))
            return;
        add(tokens, TOKEN_BYTES, piece + at, 0);
        json_token *token = &tokens->tokens[tokens->count - 1];
        token->text = (uint32_t)first;
        token->length = (uint32_t)(tokens->byte_count - first);
        tokens->fed = at = end;
    }
    feed(tokens, size);
}

cuzk_status json_tokens_fill(json_tokens *tokens, cuzk_error *error) {
    if (tokens->next < tokens->count)
        return CUZK_OK;
    tokens->next = tokens->count = 0;
    tokens->copied = tokens->byte_count = 0;
    while (tokens->count == 0) {
        if (tokens->problem[0] != '\0')
            return CUZK_BAD_INPUT;
        if (tokens->ended) {
            add(tokens, TOKEN_DOCUMENT_END, NULL, 0);
            break;
        }
        tokens->piece_offset += tokens->piece_size;
        tokens->piece_size = tokens->fed = 0;
        TRY(tokens->source(tokens->context, &tokens->piece, &tokens->piece_size, error));
        tokens->ended = tokens->piece_size == 0;
        if (!tokens->ended)
            parse_piece(tokens);
        else if (yajl_complete_parse(tokens->parser) != yajl_status_ok)
            record_problem(tokens);
    }
    return CUZK_OK;
}
