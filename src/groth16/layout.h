/* Where everything lies in a .vk and a .params file, and which of the files of this room a file is.
 *
 * A .vk file: alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, then the section ic. A .params file: the same,
 * then the sections h, l, a, b_g1, b_g2. A section is a u32 BE count and its points. Points are uncompressed (curve.h).
 * Source: bellperson 0.27, groth16/verifying_key.rs and groth16/params.rs. */
#ifndef GROTH16_LAYOUT_H
#define GROTH16_LAYOUT_H

#include "algebra/curve.h"
#include "base/mapped_file.h"

typedef enum { SECTION_IC, SECTION_H, SECTION_L, SECTION_A, SECTION_B_G1, SECTION_B_G2, SECTION_COUNT } section;

enum { VERIFYING_KEY_HEAD_BYTES = 3 * G1_BYTES + 3 * G2_BYTES };

/* "ic", "h", "l", "a", "b_g1", "b_g2". */
const char *section_name(section s);
/* Bytes of each of its points: 192 for b_g2, 96 for the others. */
size_t section_point_bytes(section s);

typedef struct {
    uint64_t offset; /* of the first point, in bytes from the beginning of the file */
    uint32_t count;  /* points */
} section_range;

typedef struct {
    section_range sections[SECTION_COUNT]; /* of a .vk only ic is set */
} file_layout;

/* Reads the counts of the size bytes at data and checks them against size: every section must lie inside and the last
 * must end the file. Points are not looked at. Also checked is what every set of parameters has: ic at least one point,
 * h 2^k - 1, a at least as many as ic, b_g1 as many as b_g2. CUZK_BAD_INPUT with a message that begins with path and
 * names the field, what was found and what was expected. */
cuzk_status verifying_key_layout(file_layout *layout, const uint8_t *data, uint64_t size, const char *path, cuzk_error *error);
cuzk_status parameters_layout(file_layout *layout, const uint8_t *data, uint64_t size, const char *path, cuzk_error *error);

typedef enum { FILE_UNKNOWN, FILE_PARAMETERS, FILE_VERIFYING_KEY, FILE_PROOFS } file_kind;

typedef struct {
    file_kind kind;
    file_layout layout; /* of parameters and of a verifying key */
    uint64_t proofs;    /* how many, one after another */
    cuzk_error reason;  /* FILE_UNKNOWN: what is wrong with it as the kind it resembles most */
} file_description;

/* Tells by structure what a mapped file is: sizes and counts for parameters and keys, a size and the flags of the
 * points' encodings for proofs. path is for messages only. */
void file_describe(file_description *description, const mapped_file *file, const char *path);

#endif
