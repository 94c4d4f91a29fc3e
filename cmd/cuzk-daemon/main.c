/* cuzk-daemon: the proving engine behind gRPC and a status page. */
#include <stdio.h>

#include "algebra/cpu.h"
#include "daemon.h"
#ifdef CUZK_HAS_CUDA
#include "cuda/cuda_driver.h"
#endif

static cuzk_status start_engine(cuzk_engine **engine, const cuzk_engine_options *options, cuzk_error *error) {
    cuzk_engine_options chosen = *options;
#ifdef CUZK_HAS_CUDA
    chosen.device_driver = &CUDA_DRIVER;
#endif
    return cuzk_engine_start(engine, &chosen, error);
}

int main(int argc, char **argv) {
    cuzk_error error = {0};
    if (cpu_level_choose(&error) != CUZK_OK) {
        fprintf(stderr, "cuzk-daemon: %s\n", error.message);
        return 2;
    }
    return daemon_main(argc, argv, start_engine);
}
