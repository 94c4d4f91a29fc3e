/* cuzk-daemon over the tests' fake backend: everything but the proving is real, and a proof takes as long as the request's
 * script says (tests/support/fake_backend.h). FAKE_ABSENT names circuits without parameters, FAKE_DEVICES is 1 or 2. */
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "engine/proving_backend.h"
#include "support/fake_backend.h"

static cuzk_status start_engine(cuzk_engine **engine, const cuzk_engine_options *options, cuzk_error *error) {
    const char *absent = getenv("FAKE_ABSENT"), *devices = getenv("FAKE_DEVICES");
    fake_backend *fake = fake_backend_create(devices && *devices == '2' ? 2 : 1);
    for (size_t i = 0; absent && i < fake->base.circuit_count; i++)
        if (strstr(absent, fake->base.circuits[i].id))
            atomic_store(&fake->parameters[i].present, false);
    return engine_start_with_backend(engine, options, &fake->base, error);
}

int main(int argc, char **argv) { return daemon_main(argc, argv, start_engine); }
