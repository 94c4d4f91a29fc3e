/* cuzk-bench report RESULT.json... --out CHART.svg */
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/mapped_file.h"
#include "base/memory.h"
#include "command.h"
#include "statistics.h"

enum {
    MAX_SAMPLES = 1000,
    LABEL_CAPACITY = 200,
    WIDTH = 1000,
    LEFT = 330,
    RIGHT = 130,
    ROW = 30,
    BAR = 16,
    HEAD = 56,
    FOOT = 40
};

/* A bar of the chart: times of one configuration. */
typedef struct {
    char label[LABEL_CAPACITY];
    double us[MAX_SAMPLES];
    size_t count;
} series;

typedef struct {
    series *all;
    size_t count, capacity;
} series_list;

/* ---- Reading -------------------------------------------------------------------------------------------------------------- */

static cuzk_status add_sample(series *s, json_reader *reader, cuzk_error *error) {
    uint64_t us;
    TRY(json_read_unsigned(reader, UINT64_MAX, &us, error));
    if (s->count == MAX_SAMPLES)
        return json_failure(reader, error, "found more than %d values", MAX_SAMPLES);
    s->us[s->count++] = (double)us;
    return CUZK_OK;
}

static cuzk_status read_samples(series *s, json_reader *reader, cuzk_error *error) {
    bool more;
    TRY(json_enter_array(reader, error));
    for (;;) {
        TRY(json_next_element(reader, &more, error));
        if (!more)
            return CUZK_OK;
        TRY(add_sample(s, reader, error));
    }
}

/* The iterations of synth-only and prove. */
static cuzk_status read_iterations(series *s, json_reader *reader, cuzk_error *error) {
    static const char *const names[] = {"cpu_us"};
    bool more;
    TRY(json_enter_array(reader, error));
    for (;;) {
        TRY(json_next_element(reader, &more, error));
        if (!more)
            return CUZK_OK;
        json_members members = {.names = names, .count = 1, .skip_unknown = true};
        TRY(json_enter_object(reader, error));
        for (int member;;) {
            TRY(json_next_member(reader, &members, &member, error));
            if (member < 0)
                break;
            TRY(add_sample(s, reader, error));
        }
    }
}

static void append_label(series *s, const char *text) {
    size_t length = strlen(s->label);
    snprintf(s->label + length, sizeof s->label - length, "%s%s", length ? " " : "", text);
}

/* One side of ab: its label is its arguments without the job's path. */
static cuzk_status read_side(series *s, const char *name, json_reader *reader, cuzk_error *error) {
    static const char *const names[] = {"arguments", "us"};
    json_members members = {.names = names, .count = 2, .skip_unknown = true};
    append_label(s, name);
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        bool more = true;
        TRY(json_next_member(reader, &members, &member, error));
        if (member < 0)
            return CUZK_OK;
        if (member == 1) {
            TRY(read_samples(s, reader, error));
            continue;
        }
        TRY(json_enter_array(reader, error));
        for (;;) {
            char argument[4096];
            TRY(json_next_element(reader, &more, error));
            if (!more)
                break;
            TRY(json_read_text(reader, argument, sizeof argument, error));
            if (!strchr(argument, '/') && !strchr(argument, '.') && strcmp(argument, "--c1") != 0)
                append_label(s, argument);
        }
    }
}

/* A result as the benchmarks write it, whichever it is. */
typedef struct {
    char benchmark[32], circuit[64], strategy[32], allocator[32];
    bool presize;
    uint64_t partitions;
    series sides[2]; /* the second of ab only */
} result_file;

static cuzk_status read_member(result_file *r, int member, json_reader *reader, cuzk_error *error) {
    switch (member) {
    case 0:
        return json_read_text(reader, r->benchmark, sizeof r->benchmark, error);
    case 1:
        return json_read_text(reader, r->circuit, sizeof r->circuit, error);
    case 2:
        return json_read_text(reader, r->strategy, sizeof r->strategy, error);
    case 3:
        return json_read_bool(reader, &r->presize, error);
    case 4:
        return json_read_text(reader, r->allocator, sizeof r->allocator, error);
    case 5:
        return json_read_unsigned(reader, UINT32_MAX, &r->partitions, error);
    case 6:
        return read_iterations(&r->sides[0], reader, error);
    case 7:
        return read_side(&r->sides[0], "A", reader, error);
    default:
        return read_side(&r->sides[1], "B", reader, error);
    }
}

static cuzk_status read_result(result_file *r, json_reader *reader, cuzk_error *error) {
    static const char *const names[] = {"benchmark",  "circuit",    "strategy", "presize", "allocator",
                                        "partitions", "iterations", "a",        "b"};
    json_members members = {.names = names, .count = 9, .optional = 0x1ff, .skip_unknown = true};
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        if (member < 0)
            break;
        TRY(read_member(r, member, reader, error));
    }
    return json_read_end(reader, error);
}

static void add_series(series_list *list, const series *s) {
    list->all = grow_array(list->all, list->count, &list->capacity, sizeof *list->all);
    list->all[list->count++] = *s;
}

static void add_result(series_list *list, result_file *r) {
    if (strcmp(r->benchmark, "ab") == 0) {
        add_series(list, &r->sides[0]);
        add_series(list, &r->sides[1]);
        return;
    }
    append_label(&r->sides[0], r->circuit);
    append_label(&r->sides[0], strcmp(r->benchmark, "prove") == 0 ? "proof" : r->strategy);
    if (r->presize)
        append_label(&r->sides[0], "presized");
    if (strcmp(r->allocator, "arena") == 0)
        append_label(&r->sides[0], "arena");
    for (size_t i = 0; r->partitions > 1 && i < r->sides[0].count; i++)
        r->sides[0].us[i] /= (double)r->partitions;
    add_series(list, &r->sides[0]);
}

static cuzk_status add_file(series_list *list, const char *path, cuzk_error *error) {
    mapped_file file;
    TRY(mapped_file_open(&file, path, error));
    result_file *r = allocate_zeroed(1, sizeof *r);
    json_reader *reader = json_reader_create_memory(file.data, (size_t)file.size, NULL);
    cuzk_status status = read_result(r, reader, error);
    bool known =
        strcmp(r->benchmark, "ab") == 0 || strcmp(r->benchmark, "synth-only") == 0 || strcmp(r->benchmark, "prove") == 0;
    if (status == CUZK_OK && (!known || r->sides[0].count == 0 || (strcmp(r->benchmark, "ab") == 0 && r->sides[1].count == 0)))
        status = failure(error, CUZK_BAD_INPUT, "found another document, expected what synth-only --json, prove --json or ab --json print");
    if (status == CUZK_OK)
        add_result(list, r);
    json_reader_destroy(reader);
    free(r);
    mapped_file_close(&file);
    return status == CUZK_OK ? status : failure_within(error, status, "%s: ", path);
}

/* ---- Drawing -------------------------------------------------------------------------------------------------------------- */

static void write_text(FILE *stream, double x, double y, const char *class, const char *text) {
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    for (; *text; text++) {
        if (*text == '<' || *text == '&' || *text == '>')
            fprintf(stream, "&#%d;", *text);
        else
            fputc(*text, stream);
    }
    fputs("</text>\n", stream);
}

static double extreme(const series *s, bool greatest) {
    double found = s->us[0];
    for (size_t i = 1; i < s->count; i++)
        found = (s->us[i] > found) == greatest ? s->us[i] : found;
    return found;
}

static double x_of(double us, double most) { return LEFT + (WIDTH - LEFT - RIGHT) * us / most; }

/* The median as a bar, and a line from the least to the greatest value. */
static void write_series(FILE *stream, const series *s, size_t row, double most) {
    double y = HEAD + (double)row * ROW, median = median_of(s->us, s->count), middle = y + BAR / 2.0;
    double least = extreme(s, false), greatest = extreme(s, true);
    char text[64];
    write_text(stream, LEFT - 10, y + 13, "right", s->label);
    fprintf(stream, "<rect x=\"%d\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" rx=\"2\" class=\"bar\"/>\n", LEFT, y,
            x_of(median, most) - LEFT, BAR);
    fprintf(stream, "<line x1=\"%.2f\" x2=\"%.2f\" y1=\"%.1f\" y2=\"%.1f\" class=\"range\"/>\n", x_of(least, most),
            x_of(greatest, most), middle, middle);
    snprintf(text, sizeof text, "%.3f s", 1e-6 * median);
    write_text(stream, x_of(greatest, most) + 8, y + 13, "value", text);
}

static void write_chart(FILE *stream, const series_list *list) {
    int height = HEAD + FOOT + ROW * (int)list->count;
    double most = 0;
    for (size_t i = 0; i < list->count; i++)
        most = extreme(&list->all[i], true) > most ? extreme(&list->all[i], true) : most;
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
            "<style>svg{--page:#fff;--text:#1b1b19;--muted:#62605a;--bar:#2a78d6;--range:#1b1b19;background:var(--page)}"
            "@media(prefers-color-scheme:dark){svg{--page:#1c1c1a;--text:#f1f0ea;--muted:#a8a69d;--bar:#4a94ee;--range:#f1f0ea}}"
            "text{font:12px system-ui,sans-serif;fill:var(--text)}.right{text-anchor:end}.muted{fill:var(--muted)}"
            ".title{font-weight:600;font-size:14px}.bar{fill:var(--bar)}.range{stroke:var(--range);stroke-width:2}</style>\n",
            WIDTH, height, WIDTH, height);
    write_text(stream, 10, 24, "title", "Seconds for one partition");
    for (size_t i = 0; i < list->count; i++)
        write_series(stream, &list->all[i], i, most > 0 ? most : 1);
    write_text(stream, 10, height - 14, "muted", "bar: median; line: least to greatest");
    fputs("</svg>\n", stream);
}

/* ---- The command ---------------------------------------------------------------------------------------------------------- */

static cuzk_status draw(const parsed_command_line *parsed, const char *out, cuzk_error *error) {
    series_list list = {0};
    output_file file;
    cuzk_status status = CUZK_OK;
    for (size_t i = 0; status == CUZK_OK && i < parsed->positional_count; i++)
        status = add_file(&list, parsed->positional[i], error);
    if (status == CUZK_OK && out) {
        status = output_file_create(&file, out, error);
        if (status == CUZK_OK) {
            write_chart(file.stream, &list);
            status = output_file_commit(&file, error);
        }
    } else if (status == CUZK_OK) {
        write_chart(stdout, &list);
    }
    free(list.all);
    return status;
}

cuzk_status command_report(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    const char *out = NULL;
    const option options[] = {{"out", 'o', OPTION_TEXT, &out, "FILE", "where the chart goes (default: standard output)", 0, 0}};
    const command_line line = {
        .usage = "cuzk-bench report RESULT.json... [--out CHART.svg]",
        .summary = "Draws results of synth-only --json, prove --json and ab --json as one chart: a bar for each configuration.",
        .options = options,
        .option_count = 1,
        .positional_minimum = 1,
        .positional_maximum = 100,
    };
    parsed_command_line parsed;
    bool done;
    cuzk_status status = parse_arguments(&line, argc, argv, &parsed, &done, error);
    if (status == CUZK_OK && !done)
        status = draw(&parsed, out, error);
    parsed_command_line_free(&parsed);
    return status;
}
