#include "filecoin/sector_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/output_directory.h"

enum { NAME_CAPACITY = 64 };

/* "sc-02-data-tree-c-3.dat"; number is left out if there is one part only. */
static void data_file_name(char name[NAME_CAPACITY], const char *id, unsigned part, unsigned parts) {
    if (parts == 1)
        snprintf(name, NAME_CAPACITY, "sc-02-data-%s.dat", id);
    else
        snprintf(name, NAME_CAPACITY, "sc-02-data-%s-%u.dat", id, part);
}

static void layer_file_name(char name[NAME_CAPACITY], unsigned layer) {
    snprintf(name, NAME_CAPACITY, "sc-02-data-layer-%u.dat", layer + 1);
}

/* Nodes of one base tree of trees C and R, leaves included. */
static uint64_t base_tree_nodes(const sector_shape *shape) {
    merkle_shape tree = replica_tree_shape(shape);
    uint64_t leaves = sector_nodes(shape) / merkle_base_trees(&tree);
    return leaves + merkle_upper_nodes(leaves, tree.base_arity);
}

/* Reading. */

static cuzk_status open_file(const mapped_file **opened, sector_files *files, const char *directory, const char *name,
                             cuzk_error *error) {
    char *path = directory ? path_join(directory, name) : NULL;
    mapped_file *file = &files->files[files->file_count];
    cuzk_status status = mapped_file_open(file, path ? path : name, error);
    free(path);
    if (status == CUZK_OK) {
        files->file_count++;
        *opened = file;
    }
    return status;
}

static cuzk_status wrong_size(const char *name, uint64_t found, uint64_t expected, const sector_shape *shape, cuzk_error *error) {
    return failure(error, CUZK_BAD_INPUT, "%s: found %llu bytes, expected %llu for a sector of %s", name,
                   (unsigned long long)found, (unsigned long long)expected, shape->name);
}

static cuzk_status open_nodes(const uint8_t **nodes, sector_files *files, const char *directory, const char *name, uint64_t count,
                              cuzk_error *error) {
    const mapped_file *file = NULL;
    TRY(open_file(&file, files, directory, name, error));
    if (file->size != NODE_BYTES * count)
        return wrong_size(name, file->size, NODE_BYTES * count, files->sector.shape, error);
    *nodes = file->data;
    return CUZK_OK;
}

static cuzk_status read_persistent_aux(fr *comm_c, fr *comm_r_last, const char *directory, cuzk_error *error) {
    char *path = path_join(directory, "p_aux");
    mapped_file file;
    cuzk_status status = mapped_file_open(&file, path, error);
    free(path);
    TRY(status);
    if (file.size != 64)
        status = failure(error, CUZK_BAD_INPUT, "p_aux: found %llu bytes, expected 64", (unsigned long long)file.size);
    else if (!fr_from_bytes(comm_c, file.data))
        status = failure(error, CUZK_BAD_INPUT, "p_aux: comm_c is not a field element");
    else if (!fr_from_bytes(comm_r_last, file.data + 32))
        status = failure(error, CUZK_BAD_INPUT, "p_aux: comm_r_last is not a field element");
    mapped_file_close(&file);
    return status;
}

/* How many rows a file of tree R leaves out. */
static cuzk_status find_discarded_rows(unsigned *rows, const char *name, uint64_t size, const sector_shape *shape,
                                       cuzk_error *error) {
    unsigned levels = replica_tree_shape(shape).base_levels;
    for (*rows = 0; *rows < levels; (*rows)++)
        if (size == NODE_BYTES * replica_kept_nodes(shape, *rows))
            return CUZK_OK;
    return wrong_size(name, size, NODE_BYTES * replica_kept_nodes(shape, replica_discarded_rows(shape)), shape, error);
}

static cuzk_status open_replica_tree(sector_files *files, const char *replica_path, const char *directory, cuzk_error *error) {
    const sector_shape *shape = files->sector.shape;
    merkle_stored_tree *tree = &files->sector.replica_tree;
    merkle_shape tree_shape = replica_tree_shape(shape);
    const uint8_t *leaves = NULL;
    TRY(open_nodes(&leaves, files, NULL, replica_path, sector_nodes(shape), error));
    stored_tree_place(tree, &tree_shape, leaves, leaves, 0); /* the rows are set below */
    for (unsigned i = 0; i < tree->base_trees; i++) {
        char name[NAME_CAPACITY];
        const mapped_file *file = NULL;
        data_file_name(name, "tree-r-last", i, tree->base_trees);
        TRY(open_file(&file, files, directory, name, error));
        if (i == 0)
            TRY(find_discarded_rows(&tree->discarded_rows, name, file->size, shape, error));
        uint64_t expected = NODE_BYTES * replica_kept_nodes(shape, tree->discarded_rows);
        if (file->size != expected)
            return wrong_size(name, file->size, expected, shape, error);
        tree->rows[i] = file->data;
    }
    return CUZK_OK;
}

static cuzk_status open_data_tree(sector_files *files, const char *directory, cuzk_error *error) {
    const sector_shape *shape = files->sector.shape;
    merkle_shape tree_shape = data_tree_shape(shape);
    uint64_t leaves = sector_nodes(shape);
    const uint8_t *nodes = NULL;
    char name[NAME_CAPACITY];
    data_file_name(name, "tree-d", 0, 1);
    TRY(open_nodes(&nodes, files, directory, name, leaves + merkle_upper_nodes(leaves, 2), error));
    stored_tree_place(&files->sector.data_tree, &tree_shape, nodes, NULL, 0);
    return CUZK_OK;
}

static cuzk_status open_labels(sector_files *files, const char *directory, cuzk_error *error) {
    const sector_shape *shape = files->sector.shape;
    char name[NAME_CAPACITY];
    for (unsigned i = 0; i < shape->layers; i++) {
        layer_file_name(name, i);
        TRY(open_nodes(&files->sector.layers[i], files, directory, name, sector_nodes(shape), error));
    }
    merkle_shape tree_shape = replica_tree_shape(shape);
    merkle_stored_tree *tree = &files->sector.column_tree;
    tree->base_trees = merkle_base_trees(&tree_shape);
    for (unsigned i = 0; i < tree->base_trees; i++) {
        data_file_name(name, "tree-c", i, tree->base_trees);
        TRY(open_nodes(&tree->leaves[i], files, directory, name, base_tree_nodes(shape), error));
        tree->rows[i] = tree->leaves[i] + NODE_BYTES * (sector_nodes(shape) / tree->base_trees);
    }
    return CUZK_OK;
}

static cuzk_status open_all(sector_files *files, const char *replica_path, const char *directory, unsigned parts,
                            cuzk_error *error) {
    fr comm_r_last, comm_c;
    TRY(read_persistent_aux(&files->sector.comm_c, &comm_r_last, directory, error));
    TRY(open_replica_tree(files, replica_path, directory, error));
    if (parts & SECTOR_DATA_TREE)
        TRY(open_data_tree(files, directory, error));
    if (parts & SECTOR_LABELS)
        TRY(open_labels(files, directory, error));
    TRY(stored_sector_open(&files->view, &files->sector, error));
    if (!fr_equal(&files->view.comm_r_last, &comm_r_last))
        return failure(error, CUZK_BAD_INPUT, "tree-r-last: its root is not the comm_r_last of p_aux");
    if (parts & SECTOR_LABELS &&
        (!merkle_source_root(&comm_c, files->view.column_tree) || !fr_equal(&comm_c, &files->view.comm_c)))
        return failure(error, CUZK_BAD_INPUT, "tree-c: its root is not the comm_c of p_aux");
    return CUZK_OK;
}

cuzk_status sector_files_open(sector_files *files, const sector_shape *shape, const char *replica_path,
                              const char *cache_directory, unsigned parts, cuzk_error *error) {
    *files = (sector_files){.sector = {.shape = shape, .checked = true}};
    cuzk_status status = open_all(files, replica_path, cache_directory, parts, error);
    if (status == CUZK_OK)
        return CUZK_OK;
    sector_files_close(files);
    return failure_within(error, status, "%s: ", cache_directory);
}

void sector_files_close(sector_files *files) {
    for (unsigned i = 0; i < files->file_count; i++)
        mapped_file_close(&files->files[i]);
    files->file_count = 0;
}

/* Writing. */

static void append_store_config(byte_buffer *buffer, const char *directory, const char *id, uint64_t size,
                                uint64_t discarded_rows) {
    byte_buffer_append_u64_le(buffer, strlen(directory));
    byte_buffer_append_text(buffer, directory);
    byte_buffer_append_u64_le(buffer, strlen(id));
    byte_buffer_append_text(buffer, id);
    byte_buffer_append(buffer, "\1", 1); /* Some */
    byte_buffer_append_u64_le(buffer, size);
    byte_buffer_append_u64_le(buffer, discarded_rows);
}

void encode_temporary_aux(byte_buffer *buffer, const sector_shape *shape, const char *cache_directory) {
    byte_buffer_append_u64_le(buffer, shape->layers);
    for (unsigned i = 0; i < shape->layers; i++) {
        char id[NAME_CAPACITY];
        snprintf(id, sizeof id, "layer-%u", i + 1);
        append_store_config(buffer, cache_directory, id, sector_nodes(shape), 0);
    }
    append_store_config(buffer, cache_directory, "tree-d", sector_nodes(shape) + merkle_upper_nodes(sector_nodes(shape), 2), 0);
    append_store_config(buffer, cache_directory, "tree-r-last", base_tree_nodes(shape), replica_discarded_rows(shape));
    append_store_config(buffer, cache_directory, "tree-c", base_tree_nodes(shape), 0);
}

static cuzk_status write_tree_files(const char *directory, const char *id, const big_buffer *tree, unsigned parts,
                                    cuzk_error *error) {
    size_t bytes = tree->bytes / parts;
    for (unsigned i = 0; i < parts; i++) {
        char name[NAME_CAPACITY];
        data_file_name(name, id, i, parts);
        TRY(write_whole_file(directory, name, (const uint8_t *)tree->data + bytes * i, bytes, error));
    }
    return CUZK_OK;
}

static cuzk_status write_replica(const char *path, const big_buffer *replica, cuzk_error *error) {
    output_file file;
    TRY(output_file_create(&file, path, error));
    fwrite(replica->data, 1, replica->bytes, file.stream);
    return output_file_commit(&file, error);
}

/* What sealed and updated sectors have in common. */
static cuzk_status write_cache(const sector_shape *shape, const char *directory, const char *recorded_directory,
                               const uint8_t comm_c[32], const uint8_t comm_r_last[32], const big_buffer *data_tree,
                               const big_buffer *replica_rows, cuzk_error *error) {
    TRY(output_directory_create(directory, error));
    uint8_t persistent_aux[64];
    memcpy(persistent_aux, comm_c, 32);
    memcpy(persistent_aux + 32, comm_r_last, 32);
    TRY(write_whole_file(directory, "p_aux", persistent_aux, sizeof persistent_aux, error));
    byte_buffer temporary_aux = {0};
    encode_temporary_aux(&temporary_aux, shape, recorded_directory);
    cuzk_status status = write_whole_file(directory, "t_aux", temporary_aux.bytes, temporary_aux.count, error);
    byte_buffer_free(&temporary_aux);
    TRY(status);
    merkle_shape tree = replica_tree_shape(shape);
    TRY(write_tree_files(directory, "tree-d", data_tree, 1, error));
    return write_tree_files(directory, "tree-r-last", replica_rows, merkle_base_trees(&tree), error);
}

cuzk_status sealed_sector_write(const sealed_sector *sector, const char *replica_path, const char *cache_directory,
                                cuzk_error *error) {
    const sector_shape *shape = sector->shape;
    TRY(write_cache(shape, cache_directory, cache_directory, sector->comm_c, sector->comm_r_last, &sector->data_tree,
                    &sector->replica_rows, error));
    merkle_shape tree = replica_tree_shape(shape);
    TRY(write_tree_files(cache_directory, "tree-c", &sector->column_tree, merkle_base_trees(&tree), error));
    for (unsigned i = 0; i < shape->layers; i++) {
        char name[NAME_CAPACITY];
        layer_file_name(name, i);
        TRY(write_whole_file(cache_directory, name, sector->layers[i].data, sector->layers[i].bytes, error));
    }
    return write_replica(replica_path, &sector->replica, error);
}

cuzk_status updated_sector_write(const updated_sector *sector, const char *replica_path, const char *cache_directory,
                                 const char *old_cache_directory, cuzk_error *error) {
    TRY(write_cache(sector->shape, cache_directory, old_cache_directory, sector->comm_c, sector->comm_r_last, &sector->data_tree,
                    &sector->replica_rows, error));
    return write_replica(replica_path, &sector->replica, error);
}
