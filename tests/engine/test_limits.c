/* What the machine and its cgroups allow, read from made-up /proc and /sys trees. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/budget.h"
#include "engine/fixture.h"
#include "engine/system_limits.h"
#include "support/scratch.h"

/* Writes a file below the tree, making its directories. */
static void put(const char *root, const char *path, const char *text) {
    char full[1024];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(full, 0700);
        *slash = '/';
    }
    scratch_write(full, (const uint8_t *)text, strlen(text));
}

static const char *new_tree(const char *name) {
    const char *root = scratch_path(name);
    mkdir(root, 0700);
    put(root, "/proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\nMemAvailable:    8388608 kB\n");
    return root;
}

static system_limits read_limits(const char *root) {
    system_limits limits;
    system_limits_read(&limits, root);
    return limits;
}

static const uint64_t gib = UINT64_C(1) << 30;

static void ram_alone(void **state) {
    (void)state;
    const char *root = new_tree("ram");
    system_limits limits = read_limits(root);
    assert_int_equal(limits.memory_bytes, 16 * gib);
    assert_string_equal(limits.memory_source, "RAM");
    assert_true(limits.processor_quota == 0);
    assert_true(system_processor_count(root) >= 1);
}

static void nothing_readable(void **state) {
    (void)state;
    system_limits limits = read_limits(scratch_path("not-there"));
    assert_true(limits.memory_bytes == UINT64_MAX);
    assert_true(system_memory_ceiling(scratch_path("not-there")) == UINT64_MAX);
}

static void put_v2(const char *root, const char *own) {
    char line[256];
    snprintf(line, sizeof line, "0::%s\n", own);
    put(root, "/proc/self/cgroup", line);
    put(root, "/proc/self/mountinfo",
        "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n35 22 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
}

static void version_2_max(void **state) {
    (void)state;
    const char *root = new_tree("v2max");
    put_v2(root, "/work.slice/daemon.service");
    put(root, "/sys/fs/cgroup/work.slice/daemon.service/memory.max", "4294967296\n");
    put(root, "/sys/fs/cgroup/work.slice/daemon.service/memory.high", "max\n");
    put(root, "/sys/fs/cgroup/work.slice/memory.max", "max\n");
    put(root, "/sys/fs/cgroup/work.slice/daemon.service/cpu.max", "150000 100000\n");
    system_limits limits = read_limits(root);
    assert_int_equal(limits.memory_bytes, 4 * gib);
    assert_string_equal(limits.memory_source, "memory.max of /sys/fs/cgroup/work.slice/daemon.service");
    assert_true(limits.processor_quota > 1.49 && limits.processor_quota < 1.51);
    assert_true(system_processor_count(root) <= 2);
}

static void version_2_high_of_parent(void **state) {
    (void)state;
    const char *root = new_tree("v2high");
    put_v2(root, "/a/b/c");
    put(root, "/sys/fs/cgroup/a/b/c/memory.max", "8589934592\n");
    put(root, "/sys/fs/cgroup/a/memory.high", "2147483648\n");
    put(root, "/sys/fs/cgroup/a/memory.max", "3221225472\n");
    put(root, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    put(root, "/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    system_limits limits = read_limits(root);
    assert_int_equal(limits.memory_bytes, 2 * gib);
    assert_string_equal(limits.memory_source, "memory.high of /sys/fs/cgroup/a");
    assert_true(limits.processor_quota == 0.5);
    assert_int_equal(system_processor_count(root), 1);
}

static void version_2_above_ram(void **state) {
    (void)state;
    const char *root = new_tree("v2large");
    put_v2(root, "/");
    put(root, "/sys/fs/cgroup/memory.max", "999999999999999\n");
    assert_int_equal(read_limits(root).memory_bytes, 16 * gib);
}

/* In a container the mount point is the container's own cgroup. */
static void version_2_in_a_namespace(void **state) {
    (void)state;
    const char *root = new_tree("v2ns");
    put(root, "/proc/self/cgroup", "0::/docker/abc\n");
    put(root, "/proc/self/mountinfo", "35 22 0:30 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
    put(root, "/sys/fs/cgroup/memory.max", "1073741824\n");
    assert_int_equal(read_limits(root).memory_bytes, gib);
    put(root, "/proc/self/cgroup", "0::/../elsewhere\n");
    assert_int_equal(read_limits(root).memory_bytes, gib);
}

static void version_1(void **state) {
    (void)state;
    const char *root = new_tree("v1");
    put(root, "/proc/self/cgroup", "12:memory:/jobs/one\n5:cpu,cpuacct:/jobs\n1:name=systemd:/x\n");
    put(root, "/proc/self/mountinfo",
        "30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup "
        "cgroup rw,memory\n");
    put(root, "/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "9223372036854771712\n");
    put(root, "/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "6442450944\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us", "300000\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us", "100000\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    system_limits limits = read_limits(root);
    assert_int_equal(limits.memory_bytes, 6 * gib);
    assert_string_equal(limits.memory_source, "memory.limit_in_bytes of /sys/fs/cgroup/memory/jobs");
    assert_true(limits.processor_quota == 3);
}

static void what_is_left_now(void **state) {
    (void)state;
    uint64_t anonymous;
    const char *root = new_tree("now");
    uint64_t ceiling = system_memory_ceiling(root);
    system_resident_bytes(NULL, &anonymous);
    assert_true(ceiling >= 8 * gib && ceiling <= 8 * gib + 2 * anonymous + (64 << 20));
    put_v2(root, "/a");
    put(root, "/sys/fs/cgroup/a/memory.max", "4294967296\n");
    put(root, "/sys/fs/cgroup/a/memory.current", "3221225472\n");
    put(root, "/sys/fs/cgroup/a/memory.stat", "anon 1073741824\nfile 2147483648\n");
    ceiling = system_memory_ceiling(root);
    assert_true(ceiling >= 3 * gib && ceiling <= 3 * gib + 2 * anonymous + (64 << 20));
}

static void auto_budget_follows_the_least(void **state) {
    (void)state;
    const char *root = new_tree("auto");
    put_v2(root, "/a");
    put(root, "/sys/fs/cgroup/a/memory.max", "8589934592\n");
    cuzk_engine_options options = fixture_options();
    options.total_budget = 0;
    options.safety_margin = 3 * gib;
    options.limits_root = root;
    fixture f = fixture_start(&options);
    cuzk_engine_status status;
    cuzk_engine_status_get(f.engine, &status);
    assert_int_equal(status.memory.total_bytes, 5 * gib);
    assert_string_equal(status.memory.limit_reason, "memory.max of /sys/fs/cgroup/a less 3 GiB");
    cuzk_engine_status_free(&status);
    fixture_stop(&f);
    /* A margin larger than half of what there is would leave nothing to prove with. */
    options.safety_margin = 100 * gib;
    f = fixture_start(&options);
    cuzk_engine_status_get(f.engine, &status);
    assert_int_equal(status.memory.total_bytes, 4 * gib);
    cuzk_engine_status_free(&status);
    fixture_stop(&f);
}

static void budget_counts(void **state) {
    (void)state;
    memory_budget budget;
    budget_init(&budget, 1000);
    budget_take(&budget, CUZK_MEMORY_PARAMETERS, 600);
    budget_take(&budget, CUZK_MEMORY_BUFFERS, 300);
    assert_int_equal(budget_free(&budget), 100);
    budget.ceiling = 800;
    assert_int_equal(budget_free(&budget), 0);
    budget_give(&budget, CUZK_MEMORY_PARAMETERS, 600);
    assert_int_equal(budget_free(&budget), 500);
    assert_int_equal(budget.peak, 900);
    char text[BYTE_TEXT_CAPACITY];
    assert_string_equal(byte_text(text, 1023), "1023 bytes");
    assert_string_equal(byte_text(text, 1536), "1.5 KiB");
    assert_string_equal(byte_text(text, UINT64_C(47) << 30), "47 GiB");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ram_alone),
        cmocka_unit_test(nothing_readable),
        cmocka_unit_test(version_2_max),
        cmocka_unit_test(version_2_high_of_parent),
        cmocka_unit_test(version_2_above_ram),
        cmocka_unit_test(version_2_in_a_namespace),
        cmocka_unit_test(version_1),
        cmocka_unit_test(what_is_left_now),
        cmocka_unit_test(auto_budget_follows_the_least),
        cmocka_unit_test(budget_counts),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
