/* The chart of a run, as SVG. */
#include <stdlib.h>
#include <string.h>

#include "base/mapped_file.h"
#include "base/memory.h"
#include "report.h"

enum { WIDTH = 1200, LEFT = 190, RIGHT = 20, ROW = 20, BAR = 14, HEAD = 44, FOOT = 28, ROWS_MAXIMUM = 400, LANES_MAXIMUM = 64 };

typedef struct {
    FILE *stream;
    double seconds; /* of the whole width */
} chart;

static double x_of(const chart *c, double seconds) { return LEFT + (WIDTH - LEFT - RIGHT) * seconds / c->seconds; }

static void write_text(const chart *c, double x, double y, const char *class, const char *text) {
    fprintf(c->stream, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    for (; *text; text++) {
        if (*text == '<' || *text == '&' || *text == '>')
            fprintf(c->stream, "&#%d;", *text);
        else
            fputc(*text, c->stream);
    }
    fputs("</text>\n", c->stream);
}

static void write_bar(const chart *c, double y, double from, double to, const char *class, const char *title) {
    double x = x_of(c, from), width = x_of(c, to) - x;
    fprintf(c->stream,
            "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" rx=\"2\" class=\"%s\"><title>%s</title></rect>\n", x, y,
            width > 0.75 ? width : 0.75, BAR, class, title);
}

/* Light and dark by the reader's preference; colours as on the dashboard. */
static void write_head(const chart *c, int height, const run_summary *s) {
    char line[160];
    fprintf(
        c->stream,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
        "<style>svg{--page:#fff;--text:#1b1b19;--muted:#62605a;--grid:#ebe9e2;--wait:#d6d4cb;--load:#7a6ad8;--synthesis:#2a78d6;"
        "--prove:#138a5e;--verify:#c47f00;--prepare:#7d7b74;--failed:#cc3b3a;background:var(--page)}"
        "@media(prefers-color-scheme:dark){svg{--page:#1c1c1a;--text:#f1f0ea;--muted:#a8a69d;--grid:#2e2d29;--wait:#4a4843;"
        "--load:#9488ec;--synthesis:#4a94ee;--prove:#2cae7c;--verify:#dd9a1c;--prepare:#8f8d86;--failed:#ea6a69}}"
        "text{font:12px system-ui,sans-serif;fill:var(--text)}.muted{fill:var(--muted)}.right{fill:var(--muted);text-anchor:end}"
        ".middle{fill:var(--muted);text-anchor:middle}line{stroke:var(--grid)}.title{font-weight:600;font-size:14px}"
        ".wait{fill:var(--wait)}.srs_load{fill:var(--load)}.synthesis{fill:var(--synthesis)}.prove{fill:var(--prove)}"
        ".verify{fill:var(--verify)}.prepare{fill:var(--prepare)}.failed{fill:var(--failed)}</style>\n",
        WIDTH, height, WIDTH, height);
    snprintf(line, sizeof line, "%zu proofs in %.1f s, %.2f per minute, median %.2f s", s->outcomes[RUN_PROVED], s->seconds,
             s->proofs_per_minute, s->latency.p50);
    write_text(c, 10, 20, "title", line);
}

static void write_legend(const chart *c, bool stages) {
    static const char *const names[][2] = {
        {"wait", "queued"},   {"prove", "in work"}, {"failed", "failed or refused"}, {"synthesis", "synthesis"},
        {"prove", "proving"}, {"verify", "verify"}, {"srs_load", "load parameters"}, {"prepare", "prepare"}};
    double x = 10;
    for (int i = 0; i < (stages ? 8 : 3); i++) {
        fprintf(c->stream, "<rect x=\"%.0f\" y=\"28\" width=\"10\" height=\"10\" rx=\"2\" class=\"%s\"/>\n", x, names[i][0]);
        write_text(c, x + 15, 37, "muted", names[i][1]);
        x += 32 + 6.5 * (double)strlen(names[i][1]);
    }
}

static double grid_step(double seconds) {
    static const double steps[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600, 7200};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (seconds / steps[i] <= 12)
            return steps[i];
    return seconds / 10;
}

static void write_grid(const chart *c, int height) {
    char label[32];
    double step = grid_step(c->seconds);
    int lines = (int)(c->seconds / step + 0.001);
    for (int i = 0; i <= lines; i++) {
        double t = i * step;
        fprintf(c->stream, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", x_of(c, t), x_of(c, t), HEAD, height - FOOT);
        snprintf(label, sizeof label, step < 1 ? "%.1f s" : "%.0f s", t);
        write_text(c, x_of(c, t), height - 10, "middle", label);
    }
}

static void write_proof(const chart *c, double y, const run_record *r, const payload *payloads) {
    char title[256];
    double start = (double)r->start_ns / 1e9, end = (double)r->end_ns / 1e9, work = start + (double)r->queue_wait_ms / 1e3;
    snprintf(title, sizeof title, "%s", payloads[r->payload].name);
    write_text(c, LEFT - 8, y + 11, "right", title);
    snprintf(title, sizeof title, "%s: %.3f s, queued %llu ms, synthesis %llu ms, proving %llu ms", run_outcome_name(r->outcome),
             end - start, (unsigned long long)r->queue_wait_ms, (unsigned long long)r->synthesis_ms,
             (unsigned long long)r->gpu_compute_ms);
    if (r->outcome != RUN_PROVED) {
        write_bar(c, y, start, end, "failed", title);
        return;
    }
    if (work > end)
        work = end;
    write_bar(c, y, start, work, "wait", title);
    write_bar(c, y, work, end, "prove", title);
}

/* ---- Workers' lanes ------------------------------------------------------------------------------------------------- */

typedef struct {
    bool prover;
    uint64_t worker;
} lane;

static lane lane_of(const stage_span *span) {
    bool synthesis = strcmp(span->stage, "prepare") == 0 || strcmp(span->stage, "synthesis") == 0;
    return (lane){.prover = !synthesis, .worker = span->worker};
}

static int by_lane(const void *a, const void *b) {
    const lane *x = a, *y = b;
    if (x->prover != y->prover)
        return x->prover ? 1 : -1;
    return x->worker < y->worker ? -1 : x->worker > y->worker;
}

static size_t find_lanes(lane lanes[LANES_MAXIMUM], const stage_list *stages) {
    size_t count = 0;
    for (size_t i = 0; stages && i < stages->count; i++) {
        lane l = lane_of(&stages->spans[i]);
        size_t at = 0;
        while (at < count && by_lane(&lanes[at], &l) != 0)
            at++;
        if (at == count && count < LANES_MAXIMUM)
            lanes[count++] = l;
    }
    qsort(lanes, count, sizeof *lanes, by_lane);
    return count;
}

static void write_lane(const chart *c, double y, const lane *l, const stage_list *stages) {
    char title[256];
    snprintf(title, sizeof title, "%s %llu", l->prover ? "prover" : "synthesis", (unsigned long long)l->worker);
    write_text(c, LEFT - 8, y + 11, "right", title);
    for (size_t i = 0; stages && i < stages->count; i++) {
        const stage_span *span = &stages->spans[i];
        lane own = lane_of(span);
        if (by_lane(&own, l) != 0 || span->end_ns < 0)
            continue;
        snprintf(title, sizeof title, "%s: %s #%llu, %.3f s, job %s", span->stage, span->circuit_id,
                 (unsigned long long)span->partition, (double)(span->end_ns - span->start_ns) / 1e9, span->job_id);
        write_bar(c, y, span->start_ns > 0 ? (double)span->start_ns / 1e9 : 0, (double)span->end_ns / 1e9, span->stage, title);
    }
}

cuzk_status write_timeline(const char *path, const run_result *result, const payload *payloads, const stage_list *stages,
                           cuzk_error *error) {
    output_file file;
    lane lanes[LANES_MAXIMUM];
    TRY(output_file_create(&file, path, error));
    run_summary summary = summarize(result);
    size_t lane_count = find_lanes(lanes, stages), rows = result->count < ROWS_MAXIMUM ? result->count : ROWS_MAXIMUM;
    int height = HEAD + (int)(lane_count + rows) * ROW + (lane_count ? ROW / 2 : 0) + FOOT;
    chart c = {.stream = file.stream, .seconds = summary.seconds > 0.001 ? summary.seconds : 0.001};
    write_head(&c, height, &summary);
    write_legend(&c, stages != NULL);
    write_grid(&c, height);
    double y = HEAD + 3;
    for (size_t i = 0; i < lane_count; i++, y += ROW)
        write_lane(&c, y, &lanes[i], stages);
    y += lane_count ? ROW / 2.0 : 0;
    for (size_t i = 0; i < rows; i++, y += ROW)
        write_proof(&c, y, &result->records[i], payloads);
    fputs("</svg>\n", c.stream);
    return output_file_commit(&file, error);
}
