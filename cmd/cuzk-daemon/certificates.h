/* The PEM files of TLS, read and checked before anything listens. */
#ifndef CUZK_DAEMON_CERTIFICATES_H
#define CUZK_DAEMON_CERTIFICATES_H

#include "config/config.h"

/* PEM texts, owned; NULL where the configuration names no file. */
typedef struct {
    char *certificate, *key, *client_authorities;
} certificates;

/* Reads daemon.tls_*. CUZK_BAD_INPUT, CUZK_NOT_FOUND name the key of the configuration and the file; the private key must be
 * the certificate's. Free with certificates_free, also after a failure. */
cuzk_status certificates_read(certificates *c, const configuration *config, cuzk_error *error);
void certificates_free(certificates *c);

#endif
