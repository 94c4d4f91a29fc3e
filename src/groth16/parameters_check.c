#include "groth16/parameters_check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/memory.h"
#include "groth16/pages.h"
#include "groth16/point_check.h"

enum { CHECK_BLOCK = 1 << 20 }; /* points; their pages are released after each block */

/* What is known about a checked file. The inode's time of change, which nobody can set back, tells an edited file whose
 * modification time was restored. */
typedef struct {
    uint8_t digest[FILE_DIGEST_BYTES];
    uint64_t size;
    uint64_t modified_ns, changed_ns;
} check_record;

static char *record_path(const char *path) {
    static const char suffix[] = ".checked";
    size_t length = strlen(path);
    char *out = allocate(length + sizeof suffix, 1);
    memcpy(out, path, length);
    memcpy(out + length, suffix, sizeof suffix);
    return out;
}

static uint64_t nanoseconds(struct timespec time) { return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec; }

/* Size and times of the file that is mapped; if another has taken its name since, the check is void. */
static cuzk_status observe(check_record *record, const parameters *p, cuzk_error *error) {
    struct stat status;
    if (stat(p->path, &status) != 0)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "%s: cannot stat", p->path);
    record->size = (uint64_t)status.st_size;
    record->modified_ns = nanoseconds(status.st_mtim);
    record->changed_ns = nanoseconds(status.st_ctim);
    if (record->size != p->file.size || record->modified_ns != (uint64_t)p->file.modified_ns)
        return failure(error, CUZK_INPUT_OUTPUT, "%s: the file was replaced or edited while it was in use", p->path);
    return CUZK_OK;
}

static cuzk_status read_members(json_reader *reader, check_record *record) {
    static const char *const names[] = {"blake2b_512", "size", "modified_ns", "changed_ns"};
    json_members members = {.names = names, .count = 4, .skip_unknown = true};
    TRY(json_enter_object(reader, NULL));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, NULL));
        switch (member) {
        case 0:
            TRY(json_read_hex(reader, record->digest, FILE_DIGEST_BYTES, NULL));
            break;
        case 1:
            TRY(json_read_unsigned(reader, UINT64_MAX, &record->size, NULL));
            break;
        case 2:
            TRY(json_read_unsigned(reader, UINT64_MAX, &record->modified_ns, NULL));
            break;
        case 3:
            TRY(json_read_unsigned(reader, UINT64_MAX, &record->changed_ns, NULL));
            break;
        default:
            return json_read_end(reader, NULL);
        }
    }
}

/* False if there is no record or none that can be read: then the file is simply checked again. */
static bool read_record(check_record *record, const char *path) {
    mapped_file file;
    if (mapped_file_open(&file, path, NULL) != CUZK_OK)
        return false;
    json_reader *reader = json_reader_create_memory(file.data, (size_t)file.size, NULL);
    bool readable = read_members(reader, record) == CUZK_OK;
    json_reader_destroy(reader);
    mapped_file_close(&file);
    return readable;
}

static bool write_record(const check_record *record, const char *path) {
    output_file file;
    if (output_file_create(&file, path, NULL) != CUZK_OK)
        return false;
    json_writer writer;
    json_writer_init(&writer, file.stream, 2);
    json_begin_object(&writer);
    json_key(&writer, "blake2b_512");
    json_hex(&writer, "", record->digest, sizeof record->digest);
    json_member_unsigned(&writer, "size", record->size);
    json_member_unsigned(&writer, "modified_ns", record->modified_ns);
    json_member_unsigned(&writer, "changed_ns", record->changed_ns);
    json_end_object(&writer);
    return output_file_commit(&file, NULL) == CUZK_OK;
}

static cuzk_status check_block(const parameters *p, section s, uint32_t begin, uint32_t count, thread_pool *pool, progress *job,
                               cuzk_error *error) {
    size_t point_bytes = section_point_bytes(s);
    const uint8_t *points = parameters_points(p, s) + (size_t)begin * point_bytes;
    point_check_result found = points_check(points, count, point_bytes, pool, job);
    pages_release(points, (uint64_t)count * point_bytes);
    TRY(progress_check(job, error));
    if (found.index < count)
        return failure(error, CUZK_BAD_INPUT, "%s: %s[%llu]: found %s, expected a point of order r", p->path, section_name(s),
                       (unsigned long long)begin + found.index, point_error_text(found.why));
    return CUZK_OK;
}

static cuzk_status check_section(const parameters *p, section s, thread_pool *pool, progress *job, cuzk_error *error) {
    uint32_t count = parameters_count(p, s);
    for (uint32_t begin = 0, block; begin < count; begin += block) {
        block = count - begin < CHECK_BLOCK ? count - begin : CHECK_BLOCK;
        TRY(check_block(p, s, begin, block, pool, job, error));
    }
    return CUZK_OK;
}

/* The points of ic were checked when the parameters were opened. */
static cuzk_status check_points(const parameters *p, thread_pool *pool, progress *job, cuzk_error *error) {
    uint64_t total = 0;
    for (section s = SECTION_H; s < SECTION_COUNT; s++)
        total += parameters_count(p, s);
    progress_begin(job, "checking points", total);
    cuzk_status status = CUZK_OK;
    for (section s = SECTION_H; s < SECTION_COUNT && status == CUZK_OK; s++)
        status = check_section(p, s, pool, job, error);
    progress_end(job);
    return status;
}

static bool same_file(const check_record *a, const check_record *b) {
    return a->size == b->size && a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

/* Everything but the record: how much is checked follows from what is known of the file. */
static cuzk_status check_now(check_outcome *outcome, check_record *now, const check_record *before, const parameters *p,
                             const published_file *published, bool force, thread_pool *pool, progress *job, cuzk_error *error) {
    TRY(file_digest(now->digest, &p->file, job, error));
    if (published)
        TRY(published_file_compare(published, now->digest, p->path, error));
    *outcome = CHECK_DONE;
    if (before && memcmp(now->digest, before->digest, FILE_DIGEST_BYTES) == 0)
        *outcome = CHECK_SAME_CONTENT;
    else if (published && !force)
        *outcome = CHECK_PUBLISHED;
    return *outcome == CHECK_DONE ? check_points(p, pool, job, error) : CUZK_OK;
}

static cuzk_status check(check_result *result, const parameters *p, const published_file *published, const char *path, bool force,
                         thread_pool *pool, progress *job, cuzk_error *error) {
    check_record now, before;
    TRY(observe(&now, p, error));
    bool known = !force && read_record(&before, path);
    if (known && same_file(&now, &before)) {
        if (published)
            TRY(published_file_compare(published, before.digest, p->path, error));
        *result = (check_result){.outcome = CHECK_REMEMBERED, .recorded = true};
        memcpy(result->digest, before.digest, FILE_DIGEST_BYTES);
        return CUZK_OK;
    }
    *result = (check_result){0};
    TRY(check_now(&result->outcome, &now, known ? &before : NULL, p, published, force, pool, job, error));
    memcpy(result->digest, now.digest, FILE_DIGEST_BYTES);
    /* The file must still be the one that was read. */
    check_record after;
    TRY(observe(&after, p, error));
    result->recorded = same_file(&after, &now) && write_record(&now, path);
    return CUZK_OK;
}

cuzk_status parameters_check(check_result *result, const parameters *p, const published_file *published, bool force,
                             thread_pool *pool, progress *job, cuzk_error *error) {
    char *path = record_path(p->path);
    cuzk_status status = check(result, p, published, path, force, pool, job, error);
    if (status == CUZK_BAD_INPUT)
        unlink(path);
    free(path);
    return status;
}

bool parameters_record_made(const char *path, progress *job) {
    parameters p;
    if (parameters_open(&p, path, NULL, NULL) != CUZK_OK)
        return false;
    char *beside = record_path(path);
    check_record record;
    bool done = observe(&record, &p, NULL) == CUZK_OK && file_digest(record.digest, &p.file, job, NULL) == CUZK_OK &&
                write_record(&record, beside);
    free(beside);
    parameters_close(&p);
    return done;
}
