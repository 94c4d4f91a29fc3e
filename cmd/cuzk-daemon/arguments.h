/* The daemon's command line. */
#ifndef CUZK_DAEMON_ARGUMENTS_H
#define CUZK_DAEMON_ARGUMENTS_H

#include "config/config.h"

typedef struct {
    configuration config;
    bool run; /* false: the arguments asked for something that has been printed; exit with 0 */
} daemon_arguments;

/* Reads arguments and configuration and sets the log up accordingly. Free config with configuration_free if run. */
cuzk_status daemon_arguments_parse(daemon_arguments *arguments, int argc, char **argv, cuzk_error *error);

#endif
