/* cuzk-daemon but for the choice of its engine, so that tests run the same daemon over an engine of their own. */
#ifndef CUZK_DAEMON_H
#define CUZK_DAEMON_H

#include "cuzk/engine.h"

typedef cuzk_status (*engine_starter)(cuzk_engine **engine, const cuzk_engine_options *options, cuzk_error *error);

/* main of the daemon: parses the arguments, runs until SIGTERM or SIGINT and returns the exit code. */
int daemon_main(int argc, char **argv, engine_starter start_engine);

#endif
