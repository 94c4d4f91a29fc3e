/* The tokens of a JSON document, drawn from yajl's callbacks one piece of the document at a time. Internal to json_reader.
 *
 * Arrays of bytes ("[203,71,154]"), of which a C1 output has hundreds of thousands, do not go through yajl, which takes
 * 25 ns a number: it is fed "[]" in their stead, and so still decides whether an array may stand there. */
#ifndef BASE_JSON_TOKENS_H
#define BASE_JSON_TOKENS_H

#include <yajl/yajl_parse.h>

#include "base/json_reader.h"

typedef enum {
    TOKEN_OBJECT,
    TOKEN_OBJECT_END,
    TOKEN_ARRAY,
    TOKEN_ARRAY_END,
    TOKEN_KEY,
    TOKEN_STRING,
    TOKEN_NUMBER,
    TOKEN_BYTES, /* all elements of an array of integers from 0 to 255 */
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_NULL,
    TOKEN_DOCUMENT_END
} json_token_kind;

typedef struct {
    uint32_t text;   /* of keys, strings and numbers: position in the piece or, if copied, in the copies; of bytes: there */
    uint32_t length; /* of the text; number of bytes, which is not zero */
    uint32_t start;  /* position in the piece, for messages; of the first byte */
    uint8_t kind;    /* json_token_kind */
    bool copied;
} json_token;

typedef struct {
    json_source source;
    void *context;
    yajl_handle parser;
    const uint8_t *piece;
    size_t piece_size;
    uint64_t piece_offset; /* of the piece in the document */
    size_t fed;            /* bytes of the piece that yajl got in calls before the one that is running */
    bool in_string, escaped; /* where the piece before has ended */
    json_token *tokens;    /* of the piece */
    size_t next, count, capacity;
    uint8_t *copies; /* texts that are not in the piece as they are: with escapes, or begun in the piece before */
    size_t copied, copies_capacity;
    uint8_t bytes[JSON_PIECE_BYTES / 2]; /* all that a piece can have outside of strings */
    size_t byte_count;
    unsigned depth;
    bool ended;
    char problem[160]; /* what is wrong with the document behind the tokens; "" if nothing is known to be */
    uint64_t problem_offset;
} json_tokens;

/* tokens is all zero. */
void json_tokens_init(json_tokens *tokens, json_source source, void *context);
void json_tokens_free(json_tokens *tokens);

/* Makes sure that tokens->tokens[tokens->next] is there, if all have been taken. CUZK_BAD_INPUT with a `problem` for
 * malformed JSON, or what the source returned (then problem is ""). */
cuzk_status json_tokens_fill(json_tokens *tokens, cuzk_error *error);

/* Moves *at from inside a string to behind the quote that ends it. If there is none before size, returns false and moves
 * it there. *escaped says, before and after, whether the byte at *at is escaped. */
bool json_leave_string(const uint8_t *data, size_t size, size_t *at, bool *escaped);

static inline const char *json_token_text(const json_tokens *tokens, const json_token *token) {
    return (const char *)(token->copied ? tokens->copies : tokens->piece) + token->text;
}

#endif
