#include "certificates.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/mapped_file.h"

enum { PEM_MAXIMUM = 1 << 20 };

/* A PEM file as text; *text stays NULL for an empty path. */
static cuzk_status read_pem(char **text, const char *path, const char *key, cuzk_error *error) {
    mapped_file file;
    if (!*path)
        return CUZK_OK;
    if (mapped_file_open(&file, path, error) != CUZK_OK)
        return failure_within(error, CUZK_BAD_INPUT, "%s: ", key);
    cuzk_status status = CUZK_OK;
    if (file.size > PEM_MAXIMUM || !file.data || !memmem(file.data, (size_t)file.size, "-----BEGIN ", 11))
        status = failure(error, CUZK_BAD_INPUT, "%s: %s: found no PEM (-----BEGIN ...), expected one", key, path);
    else
        *text = strndup((const char *)file.data, (size_t)file.size);
    mapped_file_close(&file);
    return status;
}

static X509 *first_certificate(const char *pem) {
    BIO *memory = BIO_new_mem_buf(pem, -1);
    X509 *certificate = memory ? PEM_read_bio_X509(memory, NULL, NULL, NULL) : NULL;
    BIO_free(memory);
    return certificate;
}

/* A key behind a passphrase is no use: nobody is there to type it. */
static int no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return 0;
}

static EVP_PKEY *private_key(const char *pem) {
    BIO *memory = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = memory ? PEM_read_bio_PrivateKey(memory, NULL, no_passphrase, NULL) : NULL;
    BIO_free(memory);
    return key;
}

static cuzk_status check_pair(const certificates *c, const configuration *config, cuzk_error *error) {
    X509 *certificate = first_certificate(c->certificate);
    EVP_PKEY *key = private_key(c->key);
    cuzk_status status = CUZK_OK;
    if (!certificate)
        status = failure(error, CUZK_BAD_INPUT, "daemon.tls_certificate: %s: found no certificate, expected one first",
                         config->daemon.tls_certificate);
    else if (!key)
        status = failure(error, CUZK_BAD_INPUT, "daemon.tls_key: %s: found no private key without a passphrase, expected one",
                         config->daemon.tls_key);
    else if (X509_check_private_key(certificate, key) != 1)
        status = failure(error, CUZK_BAD_INPUT, "daemon.tls_key: %s: found another key than that of %s", config->daemon.tls_key,
                         config->daemon.tls_certificate);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return status;
}

static cuzk_status check_authorities(const certificates *c, const configuration *config, cuzk_error *error) {
    X509 *certificate = first_certificate(c->client_authorities);
    if (!certificate)
        return failure(error, CUZK_BAD_INPUT, "daemon.tls_client_ca: %s: found no certificate, expected one",
                       config->daemon.tls_client_ca);
    X509_free(certificate);
    return CUZK_OK;
}

cuzk_status certificates_read(certificates *c, const configuration *config, cuzk_error *error) {
    *c = (certificates){0};
    TRY(read_pem(&c->certificate, config->daemon.tls_certificate, "daemon.tls_certificate", error));
    TRY(read_pem(&c->key, config->daemon.tls_key, "daemon.tls_key", error));
    TRY(read_pem(&c->client_authorities, config->daemon.tls_client_ca, "daemon.tls_client_ca", error));
    if (c->certificate)
        TRY(check_pair(c, config, error));
    return c->client_authorities ? check_authorities(c, config, error) : CUZK_OK;
}

void certificates_free(certificates *c) {
    if (c->key)
        OPENSSL_cleanse(c->key, strlen(c->key));
    free(c->certificate);
    free(c->key);
    free(c->client_authorities);
    *c = (certificates){0};
}
