/* .params and .vk files: structure and key. */
#include "groth16/verifying_key.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cuzk_error error = {0};
    file_layout layout;
    if (parameters_layout(&layout, data, size, "fuzz.params", &error) == CUZK_OK) {
        for (section s = 0; s < SECTION_COUNT; s++) {
            uint64_t bytes = (uint64_t)layout.sections[s].count * section_point_bytes(s);
            if (layout.sections[s].offset > size || bytes > size - layout.sections[s].offset)
                __builtin_trap();
        }
    }
    if (verifying_key_layout(&layout, data, size, "fuzz.vk", &error) == CUZK_OK) {
        verifying_key vk;
        if (verifying_key_decode(&vk, data, &layout, "fuzz.vk", NULL, &error) == CUZK_OK)
            verifying_key_free(&vk);
    }
    mapped_file file = {.data = data, .size = size};
    file_description description;
    file_describe(&description, &file, "fuzz");
    return 0;
}
