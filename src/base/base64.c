#include "base/base64.h"

/* The value of each character, plus one; 0 marks a character outside the alphabet. */
static const uint8_t VALUE_PLUS_ONE[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,  ['I'] = 9,  ['J'] = 10,
    ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16, ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20,
    ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24, ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30,
    ['e'] = 31, ['f'] = 32, ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48, ['w'] = 49, ['x'] = 50,
    ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56, ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60,
    ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

/* The six bits of a character; all ones (a negative number) outside the alphabet. */
static inline uint32_t value_of(char c) { return (uint32_t)VALUE_PLUS_ONE[(uint8_t)c] - 1; }

static size_t first_bad(const char *text, size_t length) {
    size_t i = 0;
    while (i < length && VALUE_PLUS_ONE[(uint8_t)text[i]] != 0)
        i++;
    return i;
}

bool base64_decode_part(uint8_t *bytes, const char *text, size_t length, size_t *bad) {
    for (size_t i = 0; i < length; i += 4, bytes += 3) {
        uint32_t a = value_of(text[i]), b = value_of(text[i + 1]), c = value_of(text[i + 2]), d = value_of(text[i + 3]);
        if ((a | b | c | d) >= 64) {
            *bad = i + first_bad(text + i, 4);
            return false;
        }
        uint32_t word = a << 18 | b << 12 | c << 6 | d;
        bytes[0] = (uint8_t)(word >> 16);
        bytes[1] = (uint8_t)(word >> 8);
        bytes[2] = (uint8_t)word;
    }
    return true;
}

bool base64_decode(uint8_t *bytes, size_t *count, const char *text, size_t length, size_t *bad) {
    size_t padding = 0;
    if (length > 0 && length % 4 == 0)
        padding = text[length - 1] != '=' ? 0 : text[length - 2] != '=' ? 1 : 2;
    size_t whole = length / 4 * 4 - (padding > 0 ? 4 : 0);
    if (!base64_decode_part(bytes, text, whole, bad))
        return false;
    *count = whole / 4 * 3;
    if (length % 4 != 0) {
        *bad = whole + first_bad(text + whole, length - whole);
        return false;
    }
    if (padding == 0)
        return true;

    size_t digits = 4 - padding, start = first_bad(text + whole, digits);
    if (start < digits) {
        *bad = whole + start;
        return false;
    }
    uint32_t word = value_of(text[whole]) << 18 | value_of(text[whole + 1]) << 12;
    if (digits == 3)
        word |= value_of(text[whole + 2]) << 6;
    if ((word & (digits == 3 ? 0xffu : 0xffffu)) != 0) {
        *bad = whole + digits - 1;
        return false;
    }
    for (size_t i = 0; i < digits - 1; i++)
        bytes[(*count)++] = (uint8_t)(word >> (16 - 8 * i));
    return true;
}
