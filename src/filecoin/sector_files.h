/* Sectors on disk: the replica and its cache directory, as filecoin-proofs lays them out. In the cache: p_aux (comm_c and
 * comm_r_last), t_aux (where the rest is, which readers here do not look at: the cache is where they were told), and
 * sc-02-data-NAME.dat for tree-d, tree-c, tree-r-last and layer-1, layer-2, ...; base trees of compound trees C and R have
 * their number behind the name. */
#ifndef FILECOIN_SECTOR_FILES_H
#define FILECOIN_SECTOR_FILES_H

#include "base/mapped_file.h"
#include "filecoin/byte_buffer.h"
#include "filecoin/sealing.h"

/* What to open besides the replica and tree R. */
enum { SECTOR_DATA_TREE = 1, SECTOR_LABELS = 2 /* and tree C */ };

enum { SECTOR_MAX_FILES = 2 + MAX_LAYERS + 2 * MERKLE_MAX_BASE_TREES };
typedef struct {
    sector_view view; /* for proofs; valid until sector_files_close; its paths are checked */
    stored_sector sector;
    mapped_file files[SECTOR_MAX_FILES];
    unsigned file_count;
} sector_files;

/* Opens a replica and its cache; the address of files must not change until sector_files_close, which is needed after a
 * success only. CUZK_NOT_FOUND, or CUZK_BAD_INPUT naming the file, if one is missing, has another size than the shape
 * demands, or disagrees with p_aux. How many rows tree R leaves out follows from its size. */
cuzk_status sector_files_open(sector_files *files, const sector_shape *shape, const char *replica_path,
                              const char *cache_directory, unsigned parts, cuzk_error *error);
void sector_files_close(sector_files *files);

/* Write a sector's replica and cache, creating the directory. */
cuzk_status sealed_sector_write(const sealed_sector *sector, const char *replica_path, const char *cache_directory,
                                cuzk_error *error);
/* old_cache_directory is what t_aux records, as in Rust. */
cuzk_status updated_sector_write(const updated_sector *sector, const char *replica_path, const char *cache_directory,
                                 const char *old_cache_directory, cuzk_error *error);

/* The contents of t_aux (bincode of TemporaryAux), with cache_directory as the recorded path. */
void encode_temporary_aux(byte_buffer *buffer, const sector_shape *shape, const char *cache_directory);

#endif
