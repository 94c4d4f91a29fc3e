#include "engine/system_limits.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_CAPACITY = 2048, LINE_CAPACITY = 4096 };

/* A controller's directory: our own cgroup's, and how much of it is the mount point, where the walk upwards ends. */
typedef struct {
    char path[PATH_CAPACITY]; /* with the root in front; empty: no such controller */
    size_t mount_length;
    size_t root_length;
    bool v2;
} cgroup_directory;

static FILE *open_below(const char *root, const char *path) {
    char full[PATH_CAPACITY];
    snprintf(full, sizeof full, "%s%s", root, path);
    return fopen(full, "re");
}

/* The first number of dir/name; false if there is none, or the word "max". */
static bool read_number(const char *directory, const char *name, uint64_t *value) {
    char path[PATH_CAPACITY + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    long long number = 0;
    bool read = fscanf(file, "%lld", &number) == 1 && number >= 0;
    fclose(file);
    *value = (uint64_t)number;
    return read;
}

/* The number behind a key in lines "key number" or "key: number kB"; scale is applied. */
static bool read_keyed(FILE *file, const char *key, uint64_t scale, uint64_t *value) {
    char line[LINE_CAPACITY];
    size_t length = strlen(key);
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        unsigned long long number;
        if (strncmp(line, key, length) == 0 && sscanf(line + length, " %llu", &number) == 1) {
            *value = number * scale;
            return true;
        }
    }
    return false;
}

static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, word, length) == 0 && (at[length] == 0 || at[length] == ',' || at[length] == '\n'))
            return true;
    return false;
}

/* Our path in the hierarchy of a controller ("" selects version 2). */
static bool own_cgroup(const char *root, const char *controller, char path[PATH_CAPACITY]) {
    FILE *file = open_below(root, "/proc/self/cgroup");
    if (!file)
        return false;
    char line[LINE_CAPACITY];
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':');
        char *own = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!own)
            continue;
        *own++ = 0;
        controllers++;
        own[strcspn(own, "\n")] = 0;
        if (*controller ? !has_word(controllers, controller) : *controllers != 0)
            continue;
        snprintf(path, PATH_CAPACITY, "%s", own);
        found = true;
    }
    fclose(file);
    return found;
}

/* Where the hierarchy is mounted, and which of its directories that mount shows. */
static bool find_mount(const char *root, const char *controller, char mount[PATH_CAPACITY], char shown[PATH_CAPACITY]) {
    FILE *file = open_below(root, "/proc/self/mountinfo");
    if (!file)
        return false;
    char line[LINE_CAPACITY];
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) {
        char directory[PATH_CAPACITY], point[PATH_CAPACITY], type[64], options[PATH_CAPACITY];
        char *tail = strstr(line, " - ");
        if (!tail || sscanf(line, "%*s %*s %*s %2047s %2047s", directory, point) != 2 ||
            sscanf(tail, " - %63s %*s %2047s", type, options) != 2)
            continue;
        if (strcmp(type, *controller ? "cgroup" : "cgroup2") != 0 || (*controller && !has_word(options, controller)))
            continue;
        snprintf(mount, PATH_CAPACITY, "%s", point);
        snprintf(shown, PATH_CAPACITY, "%s", strcmp(directory, "/") == 0 ? "" : directory);
        found = true;
    }
    fclose(file);
    return found;
}

/* controller "": version 2. */
static void find_directory(cgroup_directory *result, const char *root, const char *controller) {
    char own[PATH_CAPACITY], mount[PATH_CAPACITY], shown[PATH_CAPACITY] = "";
    *result = (cgroup_directory){.v2 = !*controller, .root_length = strlen(root)};
    if (!own_cgroup(root, controller, own))
        return;
    if (!find_mount(root, controller, mount, shown))
        snprintf(mount, sizeof mount, "/sys/fs/cgroup%s%s", *controller ? "/" : "", controller);
    /* A path outside of what the mount shows (a namespace's "/../x") leaves the mount point itself. */
    size_t length = strlen(shown);
    const char *below = strncmp(own, shown, length) == 0 && (own[length] == '/' || own[length] == 0) ? own + length : "";
    if (strstr(below, "..") || strcmp(below, "/") == 0)
        below = "";
    int mount_length = snprintf(result->path, sizeof result->path, "%s%s", root, mount);
    if (mount_length < 0 || (size_t)mount_length + strlen(below) >= sizeof result->path) {
        result->path[0] = 0;
        return;
    }
    result->mount_length = (size_t)mount_length;
    memcpy(result->path + mount_length, below, strlen(below) + 1);
}

/* Goes to the parent; false at the mount point. */
static bool go_up(cgroup_directory *directory) {
    char *slash = strrchr(directory->path, '/');
    if (!slash || strlen(directory->path) <= directory->mount_length)
        return false;
    *slash = 0;
    if (strlen(directory->path) < directory->mount_length)
        return false;
    return true;
}

static void lower_memory(system_limits *limits, uint64_t bytes, const char *file, const cgroup_directory *directory) {
    if (bytes >= limits->memory_bytes)
        return;
    limits->memory_bytes = bytes;
    snprintf(limits->memory_source, sizeof limits->memory_source, "%s of %.100s", file, directory->path + directory->root_length);
}

static void apply_memory_limits(system_limits *limits, cgroup_directory directory) {
    static const char *const v2_files[] = {"memory.max", "memory.high"};
    static const char *const v1_files[] = {"memory.limit_in_bytes", "memory.soft_limit_in_bytes"};
    if (!directory.path[0])
        return;
    do {
        /* The soft limit of version 1 only matters under pressure: it is no limit. */
        for (unsigned i = 0; i < (directory.v2 ? 2u : 1u); i++) {
            const char *file = directory.v2 ? v2_files[i] : v1_files[i];
            uint64_t bytes;
            if (read_number(directory.path, file, &bytes))
                lower_memory(limits, bytes, file, &directory);
        }
    } while (go_up(&directory));
}

static void lower_quota(system_limits *limits, double quota, double period) {
    if (quota <= 0 || period <= 0)
        return;
    double processors = quota / period;
    if (limits->processor_quota == 0 || processors < limits->processor_quota)
        limits->processor_quota = processors;
}

static void apply_processor_quota(system_limits *limits, cgroup_directory directory) {
    if (!directory.path[0])
        return;
    do {
        if (directory.v2) {
            char path[PATH_CAPACITY + 16];
            snprintf(path, sizeof path, "%s/cpu.max", directory.path);
            FILE *file = fopen(path, "re");
            double quota, period;
            if (file && fscanf(file, "%lf %lf", &quota, &period) == 2)
                lower_quota(limits, quota, period);
            if (file)
                fclose(file);
        } else {
            uint64_t quota, period;
            if (read_number(directory.path, "cpu.cfs_quota_us", &quota) && read_number(directory.path, "cpu.cfs_period_us", &period))
                lower_quota(limits, (double)quota, (double)period);
        }
    } while (go_up(&directory));
}

static bool read_meminfo(const char *root, const char *key, uint64_t *bytes) {
    FILE *file = open_below(root, "/proc/meminfo");
    if (!file)
        return false;
    bool read = read_keyed(file, key, 1024, bytes);
    fclose(file);
    return read;
}

void system_limits_read(system_limits *limits, const char *root) {
    *limits = (system_limits){.memory_bytes = UINT64_MAX, .memory_source = "nothing known"};
    if (read_meminfo(root, "MemTotal:", &limits->memory_bytes))
        snprintf(limits->memory_source, sizeof limits->memory_source, "RAM");
    cgroup_directory directory;
    find_directory(&directory, root, "");
    apply_memory_limits(limits, directory);
    apply_processor_quota(limits, directory);
    find_directory(&directory, root, "memory");
    apply_memory_limits(limits, directory);
    find_directory(&directory, root, "cpu");
    apply_processor_quota(limits, directory);
}

/* What one cgroup has left, page cache counted as free. */
static bool cgroup_available(const cgroup_directory *directory, uint64_t *available) {
    uint64_t limit = UINT64_MAX, bytes, current, cache = 0;
    if (directory->v2) {
        if (read_number(directory->path, "memory.max", &bytes))
            limit = bytes;
        if (read_number(directory->path, "memory.high", &bytes) && bytes < limit)
            limit = bytes;
    } else if (read_number(directory->path, "memory.limit_in_bytes", &bytes)) {
        limit = bytes;
    }
    if (limit == UINT64_MAX || !read_number(directory->path, directory->v2 ? "memory.current" : "memory.usage_in_bytes", &current))
        return false;
    char path[PATH_CAPACITY + 16];
    snprintf(path, sizeof path, "%s/memory.stat", directory->path);
    FILE *file = fopen(path, "re");
    if (file) {
        read_keyed(file, directory->v2 ? "file " : "total_cache ", 1, &cache);
        fclose(file);
    }
    uint64_t fixed = current > cache ? current - cache : 0;
    *available = limit > fixed ? limit - fixed : 0;
    return true;
}

static void apply_available(uint64_t *available, cgroup_directory directory) {
    uint64_t here;
    if (!directory.path[0])
        return;
    do {
        if (cgroup_available(&directory, &here) && here < *available)
            *available = here;
    } while (go_up(&directory));
}

uint64_t system_memory_ceiling(const char *root) {
    uint64_t available = UINT64_MAX, anonymous;
    if (!read_meminfo(root, "MemAvailable:", &available))
        available = UINT64_MAX;
    cgroup_directory directory;
    find_directory(&directory, root, "");
    apply_available(&available, directory);
    find_directory(&directory, root, "memory");
    apply_available(&available, directory);
    system_resident_bytes(NULL, &anonymous);
    return available > UINT64_MAX - anonymous ? UINT64_MAX : available + anonymous;
}

unsigned system_processor_count(const char *root) {
    cpu_set_t set;
    unsigned count = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    system_limits limits;
    system_limits_read(&limits, root);
    if (limits.processor_quota > 0 && limits.processor_quota < count) {
        double whole = (unsigned)limits.processor_quota;
        count = (unsigned)limits.processor_quota + (whole < limits.processor_quota);
    }
    return count ? count : 1;
}

void system_resident_bytes(uint64_t *resident, uint64_t *anonymous) {
    unsigned long long all = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file) {
        if (fscanf(file, "%*u %llu %llu", &all, &shared) != 2)
            all = shared = 0;
        fclose(file);
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (resident)
        *resident = all * page;
    if (anonymous)
        *anonymous = (all - shared) * page;
}
