#include "base/json_reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json_tokens.h"
#include "base/memory.h"

/* An object or array that has been entered. */
typedef struct {
    bool is_array;
    bool started;   /* a key or an element has been read */
    uint64_t index; /* of the array's current element */
    char key[JSON_KEY_CAPACITY];
} scope;

struct json_reader {
    json_tokens tokens;
    const char *what;
    uint64_t offset; /* of the last token taken or looked at */
    unsigned depth;
    scope scopes[JSON_READER_DEPTH];
    const uint8_t *data; /* of a document in memory, with the position of the next piece */
    size_t size, position;
};

/* --- A document in memory --- */

/* Pieces that never end inside a string: so yajl need not put any together. */
static cuzk_status next_piece_in_memory(void *context, const uint8_t **piece, size_t *piece_size, cuzk_error *error) {
    json_reader *reader = context;
    if (reader->size > UINT32_MAX)
        return failure(error, CUZK_BAD_INPUT, "found a document of %zu bytes, expected at most %" PRIu32, reader->size,
                       UINT32_MAX);
    size_t begin = reader->position, at = begin;
    size_t end = reader->size - begin > JSON_PIECE_BYTES ? begin + JSON_PIECE_BYTES : reader->size;
    while (at < end) {
        const uint8_t *quote = memchr(reader->data + at, '"', end - at);
        bool escaped = false;
        at = quote == NULL ? end : (size_t)(quote - reader->data) + 1;
        if (quote != NULL)
            json_leave_string(reader->data, reader->size, &at, &escaped);
    }
    *piece = reader->data + begin;
    *piece_size = at - begin;
    reader->position = at;
    return CUZK_OK;
}

static json_reader *create(const char *what) {
    json_reader *reader = allocate_zeroed(1, sizeof *reader);
    reader->what = what;
    return reader;
}

json_reader *json_reader_create(json_source source, void *context, const char *what) {
    json_reader *reader = create(what);
    json_tokens_init(&reader->tokens, source, context);
    return reader;
}

json_reader *json_reader_create_memory(const uint8_t *data, size_t size, const char *what) {
    json_reader *reader = create(what);
    reader->data = size > 0 ? data : (const uint8_t *)""; /* an empty file has no memory */
    reader->size = size;
    json_tokens_init(&reader->tokens, next_piece_in_memory, reader);
    return reader;
}

void json_reader_destroy(json_reader *reader) {
    if (reader == NULL)
        return;
    json_tokens_free(&reader->tokens);
    free(reader);
}

/* --- Errors --- */

static void write_path(const json_reader *reader, char *path, size_t capacity) {
    size_t length = 0;
    path[0] = '\0';
    for (unsigned i = 0; i < reader->depth && length < capacity; i++) {
        const scope *inner = &reader->scopes[i];
        int written = 0;
        if (!inner->started)
            break;
        if (inner->is_array)
            written = snprintf(path + length, capacity - length, "[%" PRIu64 "]", inner->index);
        else
            written = snprintf(path + length, capacity - length, "%s%.100s", length > 0 ? "." : "", inner->key);
        length += (size_t)written;
    }
}

cuzk_status json_failure(const json_reader *reader, cuzk_error *error, const char *format, ...) {
    char path[500], message[300];
    write_path(reader, path, sizeof path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return failure(error, CUZK_BAD_INPUT, "%s%s%s (byte %" PRIu64 "%s%s)", path, path[0] != '\0' ? ": " : "", message,
                   reader->offset, reader->what ? " of " : "", reader->what ? reader->what : "");
}

/* What a token is, in words. */
static void describe(const json_reader *reader, const json_token *token, char *text, size_t capacity) {
    const char *content = json_token_text(&reader->tokens, token);
    int shown = token->length > 40 ? 40 : (int)token->length;
    const char *more = token->length > 40 ? "..." : "";
    switch ((json_token_kind)token->kind) {
    case TOKEN_STRING: snprintf(text, capacity, "\"%.*s%s\"", shown, content, more); return;
    case TOKEN_NUMBER: snprintf(text, capacity, "%.*s%s", shown, content, more); return;
    case TOKEN_BYTES: snprintf(text, capacity, "%u", reader->tokens.bytes[token->text]); return;
    case TOKEN_KEY: snprintf(text, capacity, "the key \"%.*s%s\"", shown, content, more); return;
    case TOKEN_OBJECT: snprintf(text, capacity, "an object"); return;
    case TOKEN_ARRAY: snprintf(text, capacity, "an array"); return;
    case TOKEN_TRUE: snprintf(text, capacity, "true"); return;
    case TOKEN_FALSE: snprintf(text, capacity, "false"); return;
    case TOKEN_NULL: snprintf(text, capacity, "null"); return;
    case TOKEN_OBJECT_END: snprintf(text, capacity, "the end of the object"); return;
    case TOKEN_ARRAY_END: snprintf(text, capacity, "the end of the array"); return;
    case TOKEN_DOCUMENT_END: snprintf(text, capacity, "the end of the document"); return;
    }
}

static cuzk_status unexpected(const json_reader *reader, const json_token *token, cuzk_error *error, const char *expected) {
    char found[80];
    describe(reader, token, found, sizeof found);
    return json_failure(reader, error, "found %s, expected %s", found, expected);
}

/* --- Tokens --- */

static cuzk_status peek(json_reader *reader, const json_token **token, cuzk_error *error) {
    json_tokens *tokens = &reader->tokens;
    cuzk_status status = json_tokens_fill(tokens, error);
    if (status != CUZK_OK) {
        if (tokens->problem[0] != '\0') {
            reader->offset = tokens->problem_offset;
            json_failure(reader, error, "%s", tokens->problem);
        }
        return status;
    }
    *token = &tokens->tokens[tokens->next];
    reader->offset = tokens->piece_offset + (*token)->start;
    return CUZK_OK;
}

/* Takes a token that must be of the given kind. It stays valid until the next peek. */
static cuzk_status take(json_reader *reader, json_token_kind kind, const char *expected, const json_token **token,
                        cuzk_error *error) {
    TRY(peek(reader, token, error));
    if ((*token)->kind != kind)
        return unexpected(reader, *token, error, expected);
    reader->tokens.next++;
    return CUZK_OK;
}

static cuzk_status enter(json_reader *reader, json_token_kind kind, const char *expected, cuzk_error *error) {
    const json_token *token;
    TRY(take(reader, kind, expected, &token, error));
    scope *top = &reader->scopes[reader->depth++]; /* the tokens have no more depth than there are scopes */
    top->is_array = kind == TOKEN_ARRAY;
    top->started = false;
    return CUZK_OK;
}

/* --- Objects and arrays --- */

cuzk_status json_enter_object(json_reader *reader, cuzk_error *error) {
    return enter(reader, TOKEN_OBJECT, "an object", error);
}

cuzk_status json_next_key(json_reader *reader, const char **key, cuzk_error *error) {
    const json_token *token;
    TRY(peek(reader, &token, error));
    reader->tokens.next++;
    if (token->kind == TOKEN_OBJECT_END) {
        reader->depth--;
        *key = NULL;
        return CUZK_OK;
    }
    scope *top = &reader->scopes[reader->depth - 1];
    const char *text = json_token_text(&reader->tokens, token);
    if (token->length >= JSON_KEY_CAPACITY || memchr(text, '\0', token->length) != NULL)
        return json_failure(reader, error, "found a key of %" PRIu32 " bytes or with a NUL, expected fewer than %d bytes",
                            token->length, JSON_KEY_CAPACITY);
    memcpy(top->key, text, token->length);
    top->key[token->length] = '\0';
    top->started = true;
    *key = top->key;
    return CUZK_OK;
}

static cuzk_status check_complete(const json_reader *reader, const json_members *members, cuzk_error *error) {
    for (unsigned i = 0; i < members->count; i++)
        if (((members->seen | members->optional) >> i & 1) == 0)
            return json_failure(reader, error, "found no \"%s\" in the object", members->names[i]);
    return CUZK_OK;
}

cuzk_status json_next_member(json_reader *reader, json_members *members, int *member, cuzk_error *error) {
    for (;;) {
        const char *key;
        TRY(json_next_key(reader, &key, error));
        *member = -1;
        if (key == NULL)
            return check_complete(reader, members, error);
        for (unsigned i = 0; i < members->count && *member < 0; i++)
            if (strcmp(key, members->names[i]) == 0)
                *member = (int)i;
        if (*member >= 0)
            break;
        if (!members->skip_unknown)
            return json_failure(reader, error, "found a field that is not known here");
        TRY(json_skip(reader, error));
    }
    uint32_t bit = UINT32_C(1) << *member;
    if (members->seen & bit)
        return json_failure(reader, error, "found the field twice");
    members->seen |= bit;
    return CUZK_OK;
}

cuzk_status json_enter_array(json_reader *reader, cuzk_error *error) { return enter(reader, TOKEN_ARRAY, "an array", error); }

cuzk_status json_next_element(json_reader *reader, bool *more, cuzk_error *error) {
    const json_token *token;
    TRY(peek(reader, &token, error));
    scope *top = &reader->scopes[reader->depth - 1];
    *more = token->kind != TOKEN_ARRAY_END;
    if (*more) {
        top->index = top->started ? top->index + 1 : 0;
        top->started = true;
    } else {
        reader->tokens.next++;
        reader->depth--;
    }
    return CUZK_OK;
}

cuzk_status json_next_of(json_reader *reader, uint64_t read, uint64_t count, bool *more, cuzk_error *error) {
    TRY(json_next_element(reader, more, error));
    if (*more && read == count)
        return json_failure(reader, error, "found another element, expected %" PRIu64 " in the array", count);
    if (!*more && read < count)
        return json_failure(reader, error, "found %" PRIu64 " elements, expected %" PRIu64, read, count);
    return CUZK_OK;
}

/* --- Values --- */

/* The value of digits alone, at most maximum. */
static bool parse_unsigned(const char *text, size_t length, uint64_t maximum, uint64_t *value) {
    uint64_t result = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (digit > 9 || result > (UINT64_MAX - digit) / 10)
            return false;
        result = result * 10 + digit;
    }
    *value = result;
    return result <= maximum;
}

/* Takes the first count bytes of a token of bytes, which has as many, or another token as a whole. */
static void take_bytes(json_tokens *tokens, uint32_t count) {
    json_token *token = &tokens->tokens[tokens->next];
    if (token->kind == TOKEN_BYTES && token->length > count) {
        token->text += count;
        token->length -= count;
    } else {
        tokens->next++;
    }
}

static cuzk_status bad_number(const json_reader *reader, const json_token *token, uint64_t maximum, cuzk_error *error) {
    char expected[64];
    snprintf(expected, sizeof expected, "an integer from 0 to %" PRIu64, maximum);
    return unexpected(reader, token, error, expected);
}

cuzk_status json_read_unsigned(json_reader *reader, uint64_t maximum, uint64_t *value, cuzk_error *error) {
    const json_token *token;
    json_tokens *tokens = &reader->tokens;
    TRY(peek(reader, &token, error));
    bool good = false;
    if (token->kind == TOKEN_BYTES) {
        *value = tokens->bytes[token->text];
        good = *value <= maximum;
    } else if (token->kind == TOKEN_NUMBER) {
        good = parse_unsigned(json_token_text(tokens, token), token->length, maximum, value);
    }
    if (!good)
        return bad_number(reader, token, maximum, error);
    take_bytes(tokens, 1);
    return CUZK_OK;
}

cuzk_status json_read_bool(json_reader *reader, bool *value, cuzk_error *error) {
    const json_token *token;
    TRY(peek(reader, &token, error));
    if (token->kind != TOKEN_TRUE && token->kind != TOKEN_FALSE)
        return unexpected(reader, token, error, "true or false");
    *value = token->kind == TOKEN_TRUE;
    reader->tokens.next++;
    return CUZK_OK;
}

cuzk_status json_read_string(json_reader *reader, const char **text, size_t *length, cuzk_error *error) {
    const json_token *token;
    TRY(take(reader, TOKEN_STRING, "a string", &token, error));
    *text = json_token_text(&reader->tokens, token);
    *length = token->length;
    return CUZK_OK;
}

cuzk_status json_read_text(json_reader *reader, char *text, size_t capacity, cuzk_error *error) {
    const char *string;
    size_t length;
    TRY(json_read_string(reader, &string, &length, error));
    if (length >= capacity)
        return json_failure(reader, error, "found a string of %zu bytes, expected at most %zu", length, capacity - 1);
    if (memchr(string, '\0', length) != NULL)
        return json_failure(reader, error, "found a string with a NUL");
    memcpy(text, string, length);
    text[length] = '\0';
    return CUZK_OK;
}

cuzk_status json_read_bytes(json_reader *reader, uint8_t *bytes, size_t count, cuzk_error *error) {
    TRY(json_enter_array(reader, error));
    const json_token *token;
    json_tokens *tokens = &reader->tokens;
    uint64_t found = 0;
    for (;; tokens->next++) {
        TRY(peek(reader, &token, error));
        uint64_t value;
        if (token->kind == TOKEN_BYTES) {
            if (found + token->length <= count)
                memcpy(bytes + found, tokens->bytes + token->text, token->length);
            found += token->length;
        } else if (token->kind == TOKEN_NUMBER &&
                   parse_unsigned(json_token_text(tokens, token), token->length, UINT8_MAX, &value)) {
            if (found < count)
                bytes[found] = (uint8_t)value;
            found++;
        } else {
            break;
        }
    }
    if (token->kind != TOKEN_ARRAY_END) {
        scope *top = &reader->scopes[reader->depth - 1];
        top->started = true;
        top->index = found;
        return bad_number(reader, token, UINT8_MAX, error);
    }
    tokens->next++;
    reader->depth--;
    if (found != count)
        return json_failure(reader, error, "found %" PRIu64 " bytes, expected %zu", found, count);
    return CUZK_OK;
}

cuzk_status json_read_hex(json_reader *reader, uint8_t *bytes, size_t count, cuzk_error *error) {
    enum { MAX_BYTES = 64 };
    const json_token *token;
    TRY(peek(reader, &token, error));
    if (token->kind == TOKEN_STRING && token->length <= 2 * MAX_BYTES + 2) {
        char text[2 * MAX_BYTES + 3];
        memcpy(text, json_token_text(&reader->tokens, token), token->length);
        text[token->length] = '\0';
        if (strlen(text) == token->length && hex_decode(bytes, count, text)) {
            reader->tokens.next++;
            return CUZK_OK;
        }
    }
    char expected[64];
    snprintf(expected, sizeof expected, "%zu bytes as %zu hexadecimal digits", count, 2 * count);
    return unexpected(reader, token, error, expected);
}

cuzk_status json_skip(json_reader *reader, cuzk_error *error) {
    unsigned depth = 0;
    do {
        const json_token *token;
        TRY(peek(reader, &token, error));
        bool ends = token->kind == TOKEN_OBJECT_END || token->kind == TOKEN_ARRAY_END;
        if (token->kind == TOKEN_DOCUMENT_END || (ends && depth == 0))
            return unexpected(reader, token, error, "a value");
        if (token->kind == TOKEN_OBJECT || token->kind == TOKEN_ARRAY)
            depth++;
        if (ends)
            depth--;
        take_bytes(&reader->tokens, depth == 0 ? 1 : token->length);
    } while (depth > 0);
    return CUZK_OK;
}

cuzk_status json_read_end(json_reader *reader, cuzk_error *error) {
    const json_token *token;
    return take(reader, TOKEN_DOCUMENT_END, "the end of the document", &token, error);
}
