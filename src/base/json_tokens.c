#include "base/json_tokens.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    size_t consumed = tokens->piece_size > 0 ? yajl_get_bytes_consumed(tokens->parser) : 0;
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

/* The value of length (1 to 3) digits, without a branch: lengths are random, and a document can be nothing but such
 * numbers. Above 255 for anything that is not digits. Reads three bytes. */
static unsigned small_value(const uint8_t *text, size_t length) {
    static const uint8_t weights[4][3] = {{0, 0, 0}, {1, 0, 0}, {10, 1, 0}, {100, 10, 1}};
    const uint8_t *weight = weights[length];
    unsigned a = text[0] - '0', b = text[1] - '0', c = text[2] - '0';
    bool digits = (a < 10) & ((b < 10) | (length < 2)) & ((c < 10) | (length < 3));
    return digits ? a * weight[0] + b * weight[1] + c * weight[2] : UINT_MAX;
}

static int on_number(void *context, const char *text, size_t length) {
    json_tokens *tokens = context;
    const uint8_t *digits = (const uint8_t *)text;
    uintptr_t offset = (uintptr_t)text - (uintptr_t)tokens->piece;
    uint8_t copy[3] = {0};
    if (length <= 3 && !(offset < tokens->piece_size && tokens->piece_size - offset >= 3))
        digits = memcpy(copy, text, length);
    unsigned value = length <= 3 ? small_value(digits, length) : UINT_MAX;
    if (value > UINT8_MAX)
        return add(tokens, TOKEN_NUMBER, (const uint8_t *)text, length);

    if (tokens->byte_count == tokens->bytes_capacity)
        tokens->bytes = grow_array(tokens->bytes, tokens->byte_count, &tokens->bytes_capacity, 1);
    if (tokens->count == 0 || tokens->tokens[tokens->count - 1].kind != TOKEN_BYTES) {
        add(tokens, TOKEN_BYTES, (const uint8_t *)text, 0);
        tokens->tokens[tokens->count - 1].text = (uint32_t)tokens->byte_count;
    }
    tokens->bytes[tokens->byte_count++] = (uint8_t)value;
    tokens->tokens[tokens->count - 1].length++;
    return 1;
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
    *tokens = (json_tokens){.source = source, .context = context};
    tokens->parser = yajl_alloc(&callbacks, &allocation, tokens);
}

void json_tokens_free(json_tokens *tokens) {
    yajl_free(tokens->parser);
    free(tokens->tokens);
    free(tokens->copies);
    free(tokens->bytes);
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
        tokens->piece_size = 0;
        TRY(tokens->source(tokens->context, &tokens->piece, &tokens->piece_size, error));
        tokens->ended = tokens->piece_size == 0;
        yajl_status status = tokens->ended ? yajl_complete_parse(tokens->parser)
                                           : yajl_parse(tokens->parser, tokens->piece, tokens->piece_size);
        if (status != yajl_status_ok)
            record_problem(tokens);
    }
    return CUZK_OK;
}
