#include "config/keys.h"

#define AT(member) offsetof(configuration, member)
#define IGNORED 0

const config_table CONFIG_TABLES[] = {
    {"daemon", "Where the daemon listens and keeps its state, and how it treats its clients."},
    {"srs", "The circuits' parameters (structured reference strings)."},
    {"memory",
     "One budget that parameters, assignments, buffers and uploads draw on. What does not fit waits; what can never fit is "
     "refused with the sizes named."},
    {"gpus", "Devices (docs/cuda.md). Without one everything runs on the CPU."},
    {"scheduler",
     "Which job goes next. Urgent jobs overtake others between partitions; within a priority jobs finish one by one."},
    {"synthesis", "Making the circuits' assignments."},
    {"pipeline", "Synthesis of the next partition runs while one is proved."},
    {"journal", "Accepted requests and finished proofs, kept in daemon.state_dir across restarts."},
    {"logging", "Lines on standard error."},
};
const size_t CONFIG_TABLE_COUNT = sizeof CONFIG_TABLES / sizeof *CONFIG_TABLES;

const config_key CONFIG_KEYS[] = {
    {"daemon.listen", KEY_ADDRESS_LIST, AT(daemon.listen), "\"127.0.0.1:9820\"", NULL, 0, 0,
     "gRPC address, \"host:port\" or \"unix:///path\", or an array of several. The default is loopback rather than 0.0.0.0: "
     "whoever "
     "reaches the port may spend this machine's hours and read its proofs, so opening it to a network is a decision, best taken "
     "together with the TLS keys below."},
    {"daemon.status_listen", KEY_ADDRESS, AT(daemon.status_listen), "\"\"", "empty: off", 0, 0,
     "HTTP address of the dashboard (/), /status (JSON) and /metrics (Prometheus). Read-only, without a password."},
    {"daemon.state_dir", KEY_TEXT, AT(daemon.state_dir), NULL,
     "environment CUZK_STATE_DIR, else $XDG_STATE_HOME/cuzk, else ~/.local/state/cuzk", 0, 0,
     "Directory of the journal, one for each daemon. It is made if missing; a second daemon on it is refused."},
    {"daemon.max_request_size", KEY_SIZE, AT(daemon.max_request_size), "\"256MiB\"", NULL, 1ull << 20, 1ull << 30,
     "Largest proof input accepted in one request. 64 KiB more are allowed for the message around it."},
    {"daemon.upload_budget", KEY_SIZE_OR_AUTO, AT(daemon.upload_budget), "\"auto\"",
     "\"auto\": a sixteenth of the memory budget, enough for one to eight requests of max_request_size", 1ull << 20, 1ull << 40,
     "Kept free for requests that are being received, so that an urgent one never waits for a job's memory. It says how many are "
     "received at once; more wait, and cost next to nothing meanwhile."},
    {"daemon.upload_timeout", KEY_DURATION, AT(daemon.upload_timeout), "\"20s\"", NULL, 0, 0,
     "A request that takes longer than this to arrive is cut off (RESOURCE_EXHAUSTED) once others wait for its place; the longer "
     "their "
     "queue, the sooner."},
    {"daemon.abandon_grace", KEY_DURATION, AT(daemon.abandon_grace), "\"5s\"", NULL, 0, 0,
     "When the client of a Prove call cancels, runs into its deadline or disappears, its job is cancelled after this time, "
     "unless the "
     "same request came again or another call waits for the job. Jobs of SubmitProof go on without their client."},
    {"daemon.drain_timeout", KEY_DURATION, AT(daemon.drain_timeout), "\"5m\"", NULL, 0, 0,
     "How long SIGTERM lets running Prove and AwaitProof calls finish. Unfinished jobs stay in the journal and resume at the "
     "next start."},
    {"daemon.tls_certificate", KEY_TEXT, AT(daemon.tls_certificate), "\"\"", "empty: no TLS", 0, 0,
     "PEM file of the server's certificate chain. With tls_key it makes every TCP address a TLS one; Unix sockets stay plain. The "
     "three files are read again on SIGHUP."},
    {"daemon.tls_key", KEY_TEXT, AT(daemon.tls_key), "\"\"", "empty: no TLS", 0, 0, "PEM file of the certificate's private key."},
    {"daemon.tls_client_ca", KEY_TEXT, AT(daemon.tls_client_ca), "\"\"", "empty: any client", 0, 0,
     "PEM file of certificate authorities: only clients with a certificate signed by one of them are served (mutual TLS)."},

    {"srs.param_cache", KEY_TEXT, AT(srs.param_cache), NULL,
     "environment FIL_PROOFS_PARAMETER_CACHE, else /var/tmp/filecoin-proof-parameters", 0, 0,
     "Directory of the .params and .vk files. Files that appear later are found without a restart."},
    {"srs.preload", KEY_IGNORED, IGNORED, "[]", NULL, 0, 0,
     "Was a list of circuit ids. Parameters are mapped on demand; PreloadSRS (cuzk-bench preload) does it early."},

    {"memory.total_budget", KEY_SIZE_OR_AUTO, AT(memory.total_budget), "\"auto\"",
     "\"auto\": what the machine and its cgroup allow, less safety_margin", 256ull << 20, 1ull << 46,
     "Memory that the daemon may use in all: \"auto\" or a size such as \"256GiB\"."},
    {"memory.safety_margin", KEY_SIZE, AT(memory.safety_margin), "\"5GiB\"", NULL, 0, 1ull << 46,
     "Left to the rest of the machine by total_budget = \"auto\"; at most half of the memory."},
    {"memory.eviction_min_idle", KEY_DURATION, AT(memory.eviction_min_idle), "\"5m\"", NULL, 0, 0,
     "Parameters unused for this long may be dropped when memory is wanted."},
    {"memory.scratch_dir", KEY_TEXT, AT(memory.scratch_dir), "\"\"", "empty: none", 0, 0,
     "Directory on a fast local disk, not one in memory. A partition that alone would take more than seven eighths of the budget is "
     "proved by the CPU with the vectors of its transforms in nameless files there: 8 GiB for a sector of 32 GiB, whose proof then "
     "takes at most 1.4 GiB of memory instead of 8.3."},
    {"memory.scratch_memory", KEY_SIZE, AT(memory.scratch_memory), "\"1GiB\"", NULL, 64ull << 20, 1ull << 46,
     "Memory for the transforms over files in scratch_dir."},
    {"memory.pinned_budget", KEY_IGNORED, IGNORED, "\"\"", NULL, 0, 0,
     "Was the budget of pinned memory; total_budget covers it."},
    {"memory.working_memory_budget", KEY_IGNORED, IGNORED, "\"\"", NULL, 0, 0,
     "Was the budget of buffers; total_budget covers them."},

    {"gpus.devices", KEY_NUMBER_LIST, AT(gpus.devices), "[]", "empty: all", 0, 1023,
     "Ordinals of the CUDA devices to use. Where there is none, or in a build without CUDA, the CPU proves, and a list that names one "
     "is refused at start. Beside devices the CPU proves what failed on one and what no other can take."},
    {"gpus.gpu_threads", KEY_NUMBER, AT(gpus.gpu_threads), "0", "0: all cores", 0, 1024,
     "CPU threads of the proving side (the sum in G2, preparation)."},
    {"gpus.b_g2_on_cpu", KEY_BOOLEAN, AT(gpus.b_g2_on_cpu), "false", NULL, 0, 0,
     "The sum over B in G2 is the CPU's, while the device does the rest of the proof."},
    {"gpus.gpu_workers_per_device", KEY_NUMBER, AT(gpus.gpu_workers_per_device), "0", "0: 2 on a GPU, 1 on the CPU", 0, 16,
     "Partitions in flight on one device."},

    {"scheduler.max_batch_size", KEY_NUMBER, AT(scheduler.max_batch_size), "1", NULL, 1, 64,
     "Jobs of the same circuit that may share one pass over the parameters."},
    {"scheduler.max_batch_wait_ms", KEY_NUMBER, AT(scheduler.max_batch_wait_ms), "10000", NULL, 0, 3600000,
     "How long an incomplete batch waits for more jobs, in milliseconds."},
    {"scheduler.sort_by_type", KEY_BOOLEAN, AT(scheduler.sort_by_type), "true", NULL, 0, 0,
     "Among jobs of equal priority prefer the circuit whose parameters are in use."},
    {"scheduler.max_queued_jobs", KEY_NUMBER, AT(scheduler.max_queued_jobs), "10000", NULL, 1, 1000000,
     "Unfinished jobs; a submission beyond them is refused (RESOURCE_EXHAUSTED)."},
    {"scheduler.starvation_limit", KEY_DURATION, AT(scheduler.starvation_limit), "\"1m\"", NULL, 0, 0,
     "A job that later ones have overtaken for this long gets a turn for one of its partitions whatever its priority, before all but "
     "WinningPoSt."},

    {"synthesis.strategy", KEY_STRATEGY, AT(synthesis.classic), "\"compact\"", NULL, 0, 0,
     "compact, or classic: besides, every constraint is made and evaluated by itself, as the published implementation does it, "
     "and the two must agree value for value before anything is proved. That is many times slower, and while a partition of 32 "
     "GiB is "
     "synthesised its values in full take 17 GB more. The proofs are the same."},
    {"synthesis.threads", KEY_NUMBER, AT(synthesis.threads), "0", "0: all cores", 0, 1024,
     "CPU threads of synthesis. One partition takes one, so this bounds pipeline.synthesis_concurrency."},
    {"synthesis.partition_workers", KEY_IGNORED, IGNORED, "0", NULL, 0, 0,
     "Was the number of partitions synthesised at once; pipeline.synthesis_concurrency and the budget decide."},

    {"pipeline.enabled", KEY_BOOLEAN, AT(pipeline.enabled), "true", NULL, 0, 0,
     "false: each partition is synthesised and proved before the next one starts."},
    {"pipeline.synthesis_lookahead", KEY_NUMBER, AT(pipeline.synthesis_lookahead), "1", NULL, 1, 64,
     "Synthesised partitions that may wait for the prover."},
    {"pipeline.synthesis_concurrency", KEY_NUMBER, AT(pipeline.synthesis_concurrency), "1", NULL, 1, 64,
     "Partitions synthesised at the same time."},
    {"pipeline.max_gpu_queue_depth", KEY_NUMBER, AT(pipeline.max_gpu_queue_depth), "0", "0: chosen from the budget", 0, 1024,
     "Upper bound of synthesis_lookahead."},
    {"pipeline.max_parallel_synthesis", KEY_NUMBER, AT(pipeline.max_parallel_synthesis), "0", "0: chosen from the budget", 0,
     1024, "Upper bound of synthesis_concurrency."},

    {"journal.retention", KEY_DURATION, AT(journal.retention), "\"7d\"", NULL, 0, 0,
     "How long finished jobs and their proofs are kept for AwaitProof and for repeated requests."},
    {"journal.retention_jobs", KEY_NUMBER, AT(journal.retention_jobs), "10000", NULL, 0, 1000000,
     "And how many of them: the oldest go first."},
    {"journal.max_size", KEY_SIZE, AT(journal.max_size), "\"64GiB\"", NULL, 1ull << 20, 1ull << 46,
     "Bytes on disk for the inputs of unfinished jobs; a submission beyond them is refused (RESOURCE_EXHAUSTED)."},

    {"logging.level", KEY_LOG_LEVEL, AT(logging.level), "\"info\"", NULL, 0, 0,
     "trace, debug, info, warn or error. The environment's CUZK_LOG, else RUST_LOG, overrides it."},
    {"logging.format", KEY_LOG_FORMAT, AT(logging.json), "\"text\"", NULL, 0, 0, "text or json."},
};
const size_t CONFIG_KEY_COUNT = sizeof CONFIG_KEYS / sizeof *CONFIG_KEYS;

const char *key_kind_expectation(key_kind kind) {
    switch (kind) {
    case KEY_TEXT: return "a string";
    case KEY_BOOLEAN: return "true or false";
    case KEY_NUMBER: return "a number";
    case KEY_SIZE: return "a size such as \"512MiB\" or \"20GiB\"";
    case KEY_SIZE_OR_AUTO: return "\"auto\" or a size such as \"512MiB\" or \"20GiB\"";
    case KEY_DURATION: return "a duration such as \"500ms\", \"30s\", \"5m\", \"2h\" or \"7d\"";
    case KEY_NUMBER_LIST: return "an array of numbers";
    case KEY_ADDRESS: return "\"host:port\", \"unix:///path\" or \"\"";
    case KEY_ADDRESS_LIST: return "\"host:port\", \"unix:///path\" or an array of them";
    case KEY_LOG_LEVEL: return "\"trace\", \"debug\", \"info\", \"warn\" or \"error\"";
    case KEY_LOG_FORMAT: return "\"text\" or \"json\"";
    case KEY_STRATEGY: return "\"compact\" or \"classic\"";
    case KEY_IGNORED: break;
    }
    return "anything";
}
