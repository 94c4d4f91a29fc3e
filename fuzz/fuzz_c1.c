/* C1 outputs: any bytes give a parsed output or one error, and nothing leaks. */
#include "filecoin/c1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    c1_output c1;
    cuzk_error error = {0};
    if (c1_parse(&c1, data, size, &error) == CUZK_OK)
        c1_free(&c1);
    else if (error.message[0] == 0)
        __builtin_trap();
    return 0;
}
