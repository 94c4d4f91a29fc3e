/* cuzk memory [KIND SIZE] */
#include "command.h"
#include "filecoin/circuits.h"
#include "groth16/proving_memory.h"

typedef struct {
    json_writer writer;
    bool json;
    size_t workers;
} memory_table;

static double in_mib(uint64_t bytes) { return (double)bytes / (1 << 20); }

static void print_row(memory_table *table, proof_kind kind, const sector_shape *sector) {
    filecoin_circuit blank = filecoin_circuit_blank(kind, sector);
    circuit_shape shape;
    circuit_shape_create(&shape, &blank.circuit);
    proving_memory memory = proving_memory_of(&shape, table->workers);
    const proving_scratch scratch = {0};
    proving_memory by_files = proving_memory_with_scratch(&shape, table->workers, &scratch);
    if (table->json) {
        json_begin_object(&table->writer);
        json_member_string(&table->writer, "kind", proof_kind_word(kind));
        json_member_string(&table->writer, "sector_size", sector->name);
        json_member_unsigned(&table->writer, "constraints", shape.constraints);
        json_member_unsigned(&table->writer, "parameters_bytes", memory.parameters);
        json_member_unsigned(&table->writer, "resident_parameters_bytes", memory.resident);
        json_member_unsigned(&table->writer, "shape_bytes", memory.shape);
        json_member_unsigned(&table->writer, "assignment_bytes", memory.assignment);
        json_member_unsigned(&table->writer, "working_bytes", memory.working);
        json_member_unsigned(&table->writer, "total_bytes", proving_memory_total(&memory));
        json_member_unsigned(&table->writer, "total_bytes_with_scratch", proving_memory_total(&by_files));
        json_end_object(&table->writer);
    } else {
        printf("%-8s %-7s %12llu %14.1f %12.1f %14.1f %10.1f %14.1f\n", proof_kind_word(kind), sector->name,
               (unsigned long long)shape.constraints, in_mib(memory.parameters), in_mib(memory.assignment),
               in_mib(memory.working), in_mib(proving_memory_total(&memory)), in_mib(proving_memory_total(&by_files)));
    }
    circuit_shape_free(&shape);
}

/* All registered sizes of all kinds, or one circuit. */
static void print_table(memory_table *table, const proof_kind *kind, const sector_shape *sector) {
    if (table->json) {
        json_writer_init(&table->writer, stdout, 2);
        json_begin_array(&table->writer);
    } else {
        printf("%-8s %-7s %12s %14s %12s %14s %10s %14s\n", "kind", "size", "constraints", "parameters", "assignment",
               "working memory", "in all", "with --scratch");
    }
    for (int k = 0; k < PROOF_KIND_COUNT; k++)
        for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++)
            if (kind ? k == (int)*kind && &SECTOR_SHAPES[i] == sector : SECTOR_SHAPES[i].published)
                print_row(table, (proof_kind)k, &SECTOR_SHAPES[i]);
    if (table->json)
        json_end_array(&table->writer);
    else
        puts("MiB, for one partition. Parameters are mapped; the little that is resident at a time is counted in \"in all\".\n"
             "With --scratch: in all, if the transforms go by way of files (cuzk prove --scratch)");
}

static cuzk_status run_memory(const parsed_command_line *parsed, memory_table *table, cuzk_error *error) {
    if (parsed->positional_count == 0) {
        print_table(table, NULL, NULL);
        return CUZK_OK;
    }
    if (parsed->positional_count == 1)
        return failure(error, CUZK_BAD_INPUT, "SIZE: found nothing, expected 2KiB ... 64GiB");
    proof_kind kind;
    const sector_shape *sector;
    TRY(parse_circuit_name(parsed->positional[0], parsed->positional[1], &kind, &sector, error));
    print_table(table, &kind, sector);
    return CUZK_OK;
}

cuzk_status command_memory(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    memory_table table = {0};
    uint64_t threads = 0;
    const option options[] = {OPTION_JSON(&table.json), OPTION_THREADS(&threads)};
    const command_line line = {
        .usage = "cuzk memory [KIND SIZE]",
        .summary = "Says how much memory a proof takes and how large its parameters are, without running anything: of one\n"
                   "circuit, or of all. KIND is porep, winning, window or snap; SIZE is 2KiB ... 64GiB.",
        .example = "cuzk memory porep 32GiB",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_maximum = 2,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    cuzk_status status = CUZK_OK;
    if (!done) {
        thread_pool *pool = thread_pool_create(threads);
        table.workers = thread_pool_size(pool);
        thread_pool_destroy(pool);
        status = run_memory(&parsed, &table, error);
    }
    parsed_command_line_free(&parsed);
    return status;
}
