#include "rpc/tls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "base/memory.h"

struct tls_store {
    pthread_mutex_t mutex; /* guards what follows */
    char *certificate, *key, *client_authorities;
    uint64_t version; /* from 1 */
};

static char *copy_of(const char *text) { return text ? duplicate_string(text) : NULL; }

static void drop_texts(tls_store *store) {
    if (store->key)
        OPENSSL_cleanse(store->key, strlen(store->key));
    free(store->certificate);
    free(store->key);
    free(store->client_authorities);
}

void tls_store_renew(tls_store *store, const rpc_certificates *texts) {
    pthread_mutex_lock(&store->mutex);
    drop_texts(store);
    store->certificate = copy_of(texts->certificate);
    store->key = copy_of(texts->key);
    store->client_authorities = copy_of(texts->client_authorities);
    store->version++;
    pthread_mutex_unlock(&store->mutex);
}

tls_store *tls_store_create(const rpc_certificates *texts) {
    tls_store *store = allocate_zeroed(1, sizeof *store);
    pthread_mutex_init(&store->mutex, NULL);
    tls_store_renew(store, texts);
    return store;
}

void tls_store_free(tls_store *store) {
    if (!store)
        return;
    drop_texts(store);
    pthread_mutex_destroy(&store->mutex);
    free(store);
}

/* The core asks before each handshake, one at a time for each address. */
static grpc_ssl_certificate_config_reload_status fetch(void *context, grpc_ssl_server_certificate_config **config) {
    tls_view *view = context;
    tls_store *store = view->store;
    pthread_mutex_lock(&store->mutex);
    bool is_new = view->version != store->version;
    if (is_new) {
        grpc_ssl_pem_key_cert_pair pair = {.private_key = store->key, .cert_chain = store->certificate};
        /* The core wants authorities here even when no client is asked for a certificate: then they are not looked at. */
        const char *authorities = store->client_authorities ? store->client_authorities : store->certificate;
        *config = grpc_ssl_server_certificate_config_create(authorities, &pair, 1);
        view->version = store->version;
    }
    pthread_mutex_unlock(&store->mutex);
    return is_new ? GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW : GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
}

grpc_server_credentials *tls_store_credentials(tls_store *store, tls_view *view) {
    grpc_ssl_client_certificate_request_type asked = store->client_authorities
                                                         ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                                         : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
    view->store = store;
    return grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(asked, fetch, view));
}
