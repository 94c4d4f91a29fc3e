/* The options that come as text. */
#include <stdlib.h>

#include "base/options.h"
#include "cuda/cuda_prover.h"
#include "cuda/msm.h"

static const char *const QUERY_NAMES[CUDA_QUERIES] = {"h", "l", "a", "b_g1", "b_g2"};

enum { WORD_CAPACITY = 32 };

/* "h=20" */
static bool read_word(cuda_prover_options *options, char *word) {
    char *equals = strchr(word, '=');
    uint64_t bits;
    if (!equals || !parse_unsigned(equals + 1, &bits) || bits < 1 || bits > DEVICE_WINDOW_BITS_MAX)
        return false;
    *equals = 0;
    for (int q = 0; q < CUDA_QUERIES; q++)
        if (strcmp(word, QUERY_NAMES[q]) == 0) {
            options->window_bits[q] = (unsigned)bits;
            return true;
        }
    *equals = '=';
    return false;
}

cuzk_status cuda_prover_windows(cuda_prover_options *options, const char *text, const char *origin, cuzk_error *error) {
    cuda_prover_options read = *options;
    while (*text) {
        size_t length = strcspn(text, ",");
        char word[WORD_CAPACITY];
        size_t kept = length < WORD_CAPACITY - 1 ? length : WORD_CAPACITY - 1;
        memcpy(word, text, kept);
        word[kept] = 0;
        if (kept < length || !read_word(&read, word))
            return failure(error, CUZK_BAD_INPUT, "%s: found \"%s\", expected h, l, a, b_g1 or b_g2, \"=\" and 1 ... %d", origin,
                           word, DEVICE_WINDOW_BITS_MAX);
        text += length + (text[length] == ',');
    }
    *options = read;
    return CUZK_OK;
}

cuzk_status cuda_prover_options_from_environment(cuda_prover_options *options, cuzk_error *error) {
    static const char name[] = "CUZK_MSM_WINDOWS";
    const char *text = getenv(name);
    return text ? cuda_prover_windows(options, text, name, error) : CUZK_OK;
}
