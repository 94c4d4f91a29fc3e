/* Devices without hardware, made to find mistakes: memory of a device can only be touched while a kernel or a copy of this device
 * runs (a page fault otherwise), every allocation ends at the end of a page behind which there is nothing, and the work of
 * a stream is put off until somebody waits for it, so that an order which no event demands does not come about by itself. */
#include "cuda/device_emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "cuda/launch.h"

namespace {

const size_t PAGE = 4096, ALIGNMENT = 32;
const uint8_t FRESH = 0xa5; /* what memory contains at first */

struct settings {
    unsigned count = 2;
    uint64_t memory = UINT64_C(1) << 30;
    bool refuses_registration = false;
};
settings set;

struct allocation {
    void *pages;
    size_t page_bytes;
    size_t bytes;
};

enum { ORDINALS = 8 };
device *opened_last[ORDINALS];

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

struct device {
    unsigned ordinal = 0;
    char name[32] = {0};
    uint64_t used = 0, peak = 0;
    std::map<void *, allocation> allocations;
    std::vector<device_stream *> streams;
    std::set<const void *> registered;
    bool failed = false;
    uint64_t operations = 0, fail_after = UINT64_MAX, uploaded = 0, downloads = 0;
    uint64_t flip_download = UINT64_MAX, flip_bit = 0;

    void protect(int protection) {
        for (const auto &entry : allocations)
            if (mprotect(entry.second.pages, entry.second.page_bytes, protection) != 0)
                abort();
    }
};

struct device_stream {
    device *owner;
    std::deque<std::function<void()>> work;
    uint64_t given = 0, done = 0; /* pieces of work */

    /* Does what was given up to number `target`. */
    void run_until(uint64_t target) {
        while (done < target) {
            std::function<void()> next = std::move(work.front());
            work.pop_front();
            done++;
            next();
        }
    }
};

struct device_event {
    device_stream *stream;
    uint64_t position; /* in the stream */
};

namespace {

cuzk_status count_operation(device *d, cuzk_error *error) {
    if (d->operations++ >= d->fail_after)
        d->failed = true;
    if (d->failed)
        return failure(error, CUZK_UNAVAILABLE, "%s: the device has failed", d->name);
    return CUZK_OK;
}

cuzk_status give(device_stream *stream, std::function<void()> work) {
    stream->work.push_back(std::move(work));
    stream->given++;
    return CUZK_OK;
}

/* Runs with the device's memory open. */
template <class F> void touching(device *d, F action) {
    d->protect(PROT_READ | PROT_WRITE);
    action();
    d->protect(PROT_NONE);
}

} // namespace

extern "C" {

unsigned device_count(void) { return set.count; }

void emulated_devices_set(unsigned count, uint64_t memory_bytes) {
    set.count = count;
    set.memory = memory_bytes;
}

void emulated_devices_refuse_registration(bool refuse) { set.refuses_registration = refuse; }

cuzk_status device_open(device **opened, unsigned ordinal, cuzk_error *error) {
    *opened = nullptr;
    if (ordinal >= set.count)
        return failure(error, CUZK_NOT_FOUND, "device %u: there are %u devices", ordinal, set.count);
    device *d = new device();
    d->ordinal = ordinal;
    snprintf(d->name, sizeof d->name, "emulated device %u", ordinal);
    if (ordinal < ORDINALS)
        opened_last[ordinal] = d;
    *opened = d;
    return CUZK_OK;
}

void device_close(device *closed) {
    if (!closed)
        return;
    while (!closed->streams.empty())
        device_stream_destroy(closed->streams.back());
    while (!closed->allocations.empty())
        device_free(closed, closed->allocations.begin()->first);
    if (!closed->registered.empty()) {
        fprintf(stderr, "%s: closed while pages are locked\n", closed->name);
        abort();
    }
    if (closed->ordinal < ORDINALS && opened_last[closed->ordinal] == closed)
        opened_last[closed->ordinal] = nullptr;
    delete closed;
}

const char *device_name(const device *d) { return d->name; }
uint64_t device_memory_free_bytes(device *d) { return set.memory - d->used; }
uint64_t device_memory_total_bytes(device *) { return set.memory; }

uint64_t device_memory_peak_bytes(device *d) {
    uint64_t peak = d->peak;
    d->peak = d->used;
    return peak;
}

cuzk_status device_allocate(device *d, void **memory, size_t bytes, const char *what, cuzk_error *error) {
    *memory = nullptr;
    if (bytes == 0)
        return CUZK_OK;
    size_t page_bytes = round_up(bytes, PAGE);
    if (page_bytes > set.memory - d->used)
        return failure(error, CUZK_NO_MEMORY, "%s: %zu bytes for %s: %llu are free", d->name, bytes, what,
                       static_cast<unsigned long long>(set.memory - d->used));
    void *pages = mmap(nullptr, page_bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return failure(error, CUZK_NO_MEMORY, "%s: %zu bytes for %s: the host has no more", d->name, bytes, what);
    memset(pages, FRESH, page_bytes);
    mprotect(pages, page_bytes + PAGE, PROT_NONE);
    *memory = static_cast<uint8_t *>(pages) + page_bytes - round_up(bytes, ALIGNMENT);
    d->allocations[*memory] = {pages, page_bytes, bytes};
    d->used += page_bytes;
    d->peak = d->used > d->peak ? d->used : d->peak;
    return CUZK_OK;
}

void device_free(device *d, void *memory) {
    if (!memory)
        return;
    auto found = d->allocations.find(memory);
    if (found == d->allocations.end()) {
        fprintf(stderr, "%s: free of memory that is not its own\n", d->name);
        abort();
    }
    munmap(found->second.pages, found->second.page_bytes + PAGE);
    d->used -= found->second.page_bytes;
    d->allocations.erase(found);
}

cuzk_status device_host_allocate(device *, void **memory, size_t bytes, const char *what, cuzk_error *error) {
    *memory = bytes > 0 ? malloc(bytes) : nullptr;
    if (bytes > 0 && !*memory)
        return failure(error, CUZK_NO_MEMORY, "%zu bytes of the host for %s", bytes, what);
    return CUZK_OK;
}

void device_host_free(device *, void *memory) { free(memory); }

cuzk_status device_host_register(device *d, const void *begin, size_t bytes, cuzk_error *error) {
    if (set.refuses_registration)
        return failure(error, CUZK_UNAVAILABLE, "%s: locking pages: refused", d->name);
    if (reinterpret_cast<uintptr_t>(begin) % PAGE != 0 || bytes % PAGE != 0 || !d->registered.insert(begin).second) {
        fprintf(stderr, "%s: pages locked twice, or not whole pages\n", d->name);
        abort();
    }
    return CUZK_OK;
}

void device_host_unregister(device *d, const void *begin) {
    if (d->registered.erase(begin) != 1) {
        fprintf(stderr, "%s: pages unlocked that were not locked\n", d->name);
        abort();
    }
}

cuzk_status device_stream_create(device *d, device_stream **stream, cuzk_error *) {
    *stream = new device_stream();
    (*stream)->owner = d;
    d->streams.push_back(*stream);
    return CUZK_OK;
}

void device_stream_destroy(device_stream *stream) {
    if (!stream)
        return;
    if (!stream->owner->failed)
        stream->run_until(stream->given);
    std::vector<device_stream *> &streams = stream->owner->streams;
    for (size_t i = 0; i < streams.size(); i++)
        if (streams[i] == stream)
            streams.erase(streams.begin() + static_cast<std::ptrdiff_t>(i--));
    delete stream;
}

device *device_of_stream(const device_stream *stream) { return stream->owner; }

cuzk_status device_upload(device_stream *stream, void *to, const void *from, size_t bytes, cuzk_error *error) {
    device *d = stream->owner;
    TRY(count_operation(d, error));
    d->uploaded += bytes;
    return give(stream, [=] {
        if (bytes > 0)
            touching(d, [=] { memcpy(to, from, bytes); });
    });
}

cuzk_status device_download(device_stream *stream, void *to, const void *from, size_t bytes, cuzk_error *error) {
    device *d = stream->owner;
    TRY(count_operation(d, error));
    bool flip = d->downloads++ == d->flip_download;
    uint64_t bit = d->flip_bit;
    return give(stream, [=] {
        if (bytes == 0)
            return;
        touching(d, [=] { memcpy(to, from, bytes); });
        if (flip)
            static_cast<uint8_t *>(to)[bit / 8 % bytes] ^= static_cast<uint8_t>(1u << (bit % 8));
    });
}

cuzk_status device_fill(device_stream *stream, void *to, uint8_t byte, size_t bytes, cuzk_error *error) {
    device *d = stream->owner;
    TRY(count_operation(d, error));
    return give(stream, [=] {
        if (bytes > 0)
            touching(d, [=] { memset(to, byte, bytes); });
    });
}

cuzk_status device_synchronize(device_stream *stream, cuzk_error *error) {
    if (stream->owner->failed)
        return failure(error, CUZK_UNAVAILABLE, "%s: the device has failed", stream->owner->name);
    stream->run_until(stream->given);
    return CUZK_OK;
}

cuzk_status device_event_create(device *, device_event **event, cuzk_error *) {
    *event = new device_event();
    return CUZK_OK;
}

void device_event_destroy(device_event *event) { delete event; }

cuzk_status device_event_record(device_event *event, device_stream *stream, cuzk_error *) {
    event->stream = stream;
    event->position = stream->given;
    return CUZK_OK;
}

cuzk_status device_stream_wait(device_stream *stream, device_event *event, cuzk_error *) {
    device_stream *other = event->stream;
    uint64_t position = event->position;
    if (!other || other == stream)
        return CUZK_OK;
    return give(stream, [=] { other->run_until(position); });
}

cuzk_status device_event_synchronize(device_event *event, cuzk_error *error) {
    if (!event->stream)
        return CUZK_OK;
    if (event->stream->owner->failed)
        return failure(error, CUZK_UNAVAILABLE, "%s: the device has failed", event->stream->owner->name);
    event->stream->run_until(event->position);
    return CUZK_OK;
}

device *emulated_device_opened(unsigned ordinal) { return ordinal < ORDINALS ? opened_last[ordinal] : nullptr; }

void emulated_device_fail_after(device *d, uint64_t operations) {
    d->fail_after = operations == UINT64_MAX ? operations : d->operations + operations;
}

void emulated_device_flip_bit(device *d, uint64_t download, uint64_t bit) {
    d->flip_download = d->downloads + download;
    d->flip_bit = bit;
}

uint64_t emulated_device_operations(const device *d) { return d->operations; }
uint64_t emulated_device_uploaded_bytes(const device *d) { return d->uploaded; }

} // extern "C"

cuzk_status emulated_enqueue(device_stream *stream, std::function<void()> work, cuzk_error *error) {
    device *d = stream->owner;
    TRY(count_operation(d, error));
    return give(stream, [d, work] { touching(d, work); });
}
