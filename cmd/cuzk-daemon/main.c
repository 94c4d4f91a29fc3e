/* cuzk-daemon: the proving engine behind gRPC and a status page. */
#include "daemon.h"

int main(int argc, char **argv) { return daemon_main(argc, argv, cuzk_engine_start); }
