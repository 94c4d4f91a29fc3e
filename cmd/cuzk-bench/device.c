#include "device.h"

#ifdef CUZK_HAS_CUDA
#include "cuda/cuda_driver.h"
#endif

const cuzk_device_driver *bench_device_driver(void) {
#ifdef CUZK_HAS_CUDA
    return &CUDA_DRIVER;
#else
    return NULL;
#endif
}

/* The number of a word among `count`; 0, the first, if it was not given. */
static cuzk_status choose_word(unsigned *chosen, const char *name, const char *given, const char *const *words, unsigned count,
                               cuzk_error *error) {
    *chosen = 0;
    for (unsigned i = 0; given && i < count; i++)
        if (strcmp(given, words[i]) == 0) {
            *chosen = i;
            return CUZK_OK;
        }
    if (!given)
        return CUZK_OK;
    return failure(error, CUZK_BAD_INPUT, "--%s: found %s, expected %s%s%s%s%s", name, given, words[0], count > 2 ? ", " : " or ",
                   words[1], count > 2 ? " or " : "", count > 2 ? words[2] : "");
}

static cuzk_status needs_device(const device_choice *choice, cuzk_error *error) {
    const char *const given[] = {choice->pinning, choice->presize, choice->keep, choice->windows, choice->b_g2};
    static const char *const names[] = {"pinning", "presize", "keep", "windows", "b-g2"};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i])
            return failure(error, CUZK_BAD_INPUT, "--%s: found it without --device; it says how a device proves", names[i]);
    return CUZK_OK;
}

cuzk_status device_choice_check(const device_choice *choice, device_options *options, cuzk_error *error) {
    static const char *const pinnings[] = {"staged", "mapped", "registered"}, *const switches[] = {"on", "off"},
                             *const places[] = {"device", "host"};
    unsigned pinning, presize_off, keep_off, on_host;
    *options = (device_options){.windows = choice->windows};
    if (choice->ordinal == NO_DEVICE)
        return needs_device(choice, error);
    if (!bench_device_driver())
        return failure(
            error, CUZK_BAD_INPUT,
            "--device: found %llu, but this cuzk-bench was built without CUDA; build it with -DCUZK_CUDA=ON, or leave the "
            "option out to measure the CPU",
            (unsigned long long)choice->ordinal);
    TRY(choose_word(&pinning, "pinning", choice->pinning, pinnings, 3, error));
    TRY(choose_word(&presize_off, "presize", choice->presize, switches, 2, error));
    TRY(choose_word(&keep_off, "keep", choice->keep, switches, 2, error));
    TRY(choose_word(&on_host, "b-g2", choice->b_g2, places, 2, error));
    options->pinning = (device_pinning)pinning;
    options->allocate_each_time = presize_off;
    options->keep_nothing = keep_off;
    options->b_g2_on_host = on_host;
    return CUZK_OK;
}

cuzk_status device_choice_open(proving_device **opened, const device_choice *choice, cuzk_error *error) {
    device_options options;
    *opened = NULL;
    TRY(device_choice_check(choice, &options, error));
    if (choice->ordinal == NO_DEVICE)
        return CUZK_OK;
    if (bench_device_driver()->open(opened, (unsigned)choice->ordinal, &options, error) != CUZK_OK)
        return failure_within(error, error->status, "--device: ");
    return CUZK_OK;
}
