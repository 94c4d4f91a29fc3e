#include "filecoin/job_write.h"

#include <stdlib.h>

#include "base/json_writer.h"
#include "base/mapped_file.h"
#include "filecoin/hashes.h"
#include "filecoin/output_directory.h"
#include "filecoin/post_vanilla.h"

/* A job.json under way. Its members are in the order of the alphabet. */
typedef struct {
    output_file file;
    json_writer writer;
} job_file;

static cuzk_status begin_job(job_file *job, const char *directory, cuzk_error *error) {
    char *path = path_join(directory, "job.json");
    cuzk_status status = output_file_create(&job->file, path, error);
    free(path);
    if (status == CUZK_OK) {
        json_writer_init(&job->writer, job->file.stream, 2);
        json_begin_object(&job->writer);
    }
    return status;
}

static cuzk_status end_job(job_file *job, cuzk_error *error) {
    json_end_object(&job->writer);
    return output_file_commit(&job->file, error);
}

static void write_hex_member(json_writer *writer, const char *key, const uint8_t bytes[32]) {
    json_key(writer, key);
    json_hex(writer, "", bytes, 32);
}

/* Makes the directory and writes the vanilla proofs. */
static cuzk_status write_proofs(const char *directory, const char *name, const byte_buffer *proofs, cuzk_error *error) {
    TRY(output_directory_create(directory, error));
    return write_whole_file(directory, name, proofs->bytes, proofs->count, error);
}

cuzk_status job_write_porep(const char *directory, const c1_contents *contents, uint64_t miner_id, bool sparse,
                            cuzk_error *error) {
    byte_buffer c1 = {0};
    encode_c1_wrapper(&c1, contents);
    cuzk_status status = write_proofs(directory, "c1.json", &c1, error);
    byte_buffer_free(&c1);
    TRY(status);

    uint8_t porep_id[32], prover_id[32];
    registered_proof_porep_id(porep_id, contents->proof);
    prover_id_of_miner(prover_id, miner_id);
    job_file job;
    json_writer *writer = &job.writer;
    TRY(begin_job(&job, directory, error));
    write_hex_member(writer, "comm_d", contents->comm_d);
    write_hex_member(writer, "comm_r", contents->comm_r);
    json_member_unsigned(writer, "miner_id", miner_id);
    write_hex_member(writer, "porep_id", porep_id);
    json_member_string(writer, "proof_kind", proof_kind_request_name(PROOF_POREP));
    write_hex_member(writer, "prover_id", prover_id);
    json_member_unsigned(writer, "registered_proof", contents->proof->number);
    write_hex_member(writer, "replica_id", contents->replica_id);
    json_member_unsigned(writer, "sector_number", contents->sector_number);
    json_member_unsigned(writer, "sector_size", contents->proof->shape->bytes);
    write_hex_member(writer, "seed", contents->seed);
    json_member_bool(writer, "sparse", sparse);
    write_hex_member(writer, "ticket", contents->ticket);
    json_member_string(writer, "vanilla_proof", "c1.json");
    return end_job(&job, error);
}

static void write_post_sector(json_writer *writer, const post_job_sector *sector, unsigned challenge_count) {
    json_begin_object(writer);
    json_key(writer, "challenges");
    json_begin_array(writer);
    for (unsigned i = 0; i < challenge_count; i++)
        json_unsigned(writer, sector->challenges[i]);
    json_end_array(writer);
    write_hex_member(writer, "comm_r", sector->comm_r);
    json_member_unsigned(writer, "sector_number", sector->sector_number);
    json_end_object(writer);
}

cuzk_status job_write_post(const char *directory, const post_job *contents, cuzk_error *error) {
    TRY(write_proofs(directory, "vanilla.json", contents->vanilla_proofs, error));
    uint8_t prover_id[32];
    prover_id_of_miner(prover_id, contents->miner_id);
    job_file job;
    json_writer *writer = &job.writer;
    TRY(begin_job(&job, directory, error));
    json_member_unsigned(writer, "miner_id", contents->miner_id);
    json_member_unsigned(writer, "partition_index", contents->partition_index);
    json_member_string(writer, "proof_kind", proof_kind_request_name(contents->proof->kind));
    write_hex_member(writer, "prover_id", prover_id);
    write_hex_member(writer, "randomness", contents->randomness);
    json_member_unsigned(writer, "registered_proof", contents->proof->number);
    json_member_unsigned(writer, "sector_size", contents->proof->shape->bytes);
    json_key(writer, "sectors");
    json_begin_array(writer);
    for (size_t i = 0; i < contents->sector_count; i++)
        write_post_sector(writer, &contents->sectors[i], post_sector_challenge_count(contents->proof->kind));
    json_end_array(writer);
    json_member_string(writer, "vanilla_proofs", "vanilla.json");
    return end_job(&job, error);
}

cuzk_status job_write_update(const char *directory, const update_job *contents, cuzk_error *error) {
    TRY(write_proofs(directory, "vanilla.json", contents->vanilla_proofs, error));
    job_file job;
    json_writer *writer = &job.writer;
    TRY(begin_job(&job, directory, error));
    write_hex_member(writer, "comm_d_new", contents->comm_d_new);
    write_hex_member(writer, "comm_r_new", contents->comm_r_new);
    write_hex_member(writer, "comm_r_old", contents->comm_r_old);
    json_member_unsigned(writer, "miner_id", contents->miner_id);
    json_member_string(writer, "proof_kind", proof_kind_request_name(PROOF_SNAP));
    json_member_unsigned(writer, "registered_proof", contents->proof->number);
    json_member_unsigned(writer, "sector_number", contents->sector_number);
    json_member_unsigned(writer, "sector_size", contents->proof->shape->bytes);
    json_member_string(writer, "vanilla_proofs", "vanilla.json");
    return end_job(&job, error);
}
