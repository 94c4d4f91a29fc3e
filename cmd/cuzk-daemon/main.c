/* cuzk-daemon: the proving engine behind gRPC and a status page. */
#include <stdio.h>

#include "algebra/cpu.h"
#include "daemon.h"

int main(int argc, char **argv) {
    cuzk_error error = {0};
    if (cpu_level_choose(&error) != CUZK_OK) {
        fprintf(stderr, "cuzk-daemon: %s\n", error.message);
        return 2;
    }
    return daemon_main(argc, argv, cuzk_engine_start);
}
