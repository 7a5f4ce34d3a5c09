/* What oneDNN does with an array in a format tag.
 *
 * `onednn.py` compiles this against libdnnl 2.x with a `tags.inc` that lists the header's names,
 * one `TAG(name)` a line.
 *
 * names: prints the version, then each name and its number.
 * memory: reads `name dims…` a line, and prints for each
 *   padded dims <tab> elements in memory <tab> checksum <tab> probes
 * Dims and offsets are in elements. The offsets are where oneDNN's own reorder puts the numbers
 * 1, 2, 3, … of a row-major array; each is checked against the memory descriptor's strides and
 * inner blocks. The checksum is over all offsets in row-major order of the index; the probes are
 * `element:offset` of some elements, numbered in that order. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oneapi/dnnl/dnnl.h>

#if DNNL_VERSION_MAJOR != 2
#error "this asks oneDNN 2.x, as libdnnl-dev of Debian 12 has it"
#endif

static const struct {
    const char *name;
    dnnl_format_tag_t tag;
} tags[] = {
#define TAG(name) {#name, dnnl_##name},
#include "tags.inc"
};

static void fail(const char *what) {
    fprintf(stderr, "onednn: %s\n", what);
    exit(1);
}

static void check(dnnl_status_t status, const char *what) {
    if (status != dnnl_success) fail(what);
}

static dnnl_format_tag_t tag_of(const char *name) {
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strcmp(tags[i].name, name) == 0) return tags[i].tag;
    fail(name);
    return dnnl_format_tag_undef;
}

/* The offset that the descriptor's strides and inner blocks give: blocks from the last one out. */
static int64_t described(const dnnl_memory_desc_t *md, const dnnl_dim_t *index) {
    const dnnl_blocking_desc_t *blocking = &md->format_desc.blocking;
    dnnl_dims_t rest;
    memcpy(rest, index, sizeof rest);
    int64_t offset = md->offset0, unit = 1;
    for (int i = blocking->inner_nblks - 1; i >= 0; i--) {
        dnnl_dim_t block = blocking->inner_blks[i], *at = &rest[blocking->inner_idxs[i]];
        offset += *at % block * unit;
        *at /= block;
        unit *= block;
    }
    for (int d = 0; d < md->ndims; d++) offset += rest[d] * blocking->strides[d];
    return offset;
}

static int64_t product(int n, const dnnl_dim_t *dims) {
    int64_t all = 1;
    for (int d = 0; d < n; d++) all *= dims[d];
    return all;
}

/* Has oneDNN copy `from` to `to`. */
static void reorder(dnnl_engine_t engine, dnnl_memory_desc_t *from_md, float *from,
        dnnl_memory_desc_t *to_md, float *to) {
    dnnl_memory_t source, target;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t primitive;
    check(dnnl_memory_create(&source, from_md, engine, from), "memory");
    check(dnnl_memory_create(&target, to_md, engine, to), "memory");
    check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "stream");
    check(dnnl_reorder_primitive_desc_create(&description, from_md, engine, to_md, engine, NULL),
            "reorder");
    check(dnnl_primitive_create(&primitive, description), "primitive");
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}};
    check(dnnl_primitive_execute(primitive, stream, 2, arguments), "execution");
    check(dnnl_stream_wait(stream), "execution");
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(description);
    dnnl_stream_destroy(stream);
    dnnl_memory_destroy(source);
    dnnl_memory_destroy(target);
}

/* The offset of each of `n` elements, read off memory that oneDNN filled. */
static int64_t *offsets(dnnl_engine_t engine, dnnl_memory_desc_t *md, int64_t n) {
    dnnl_memory_desc_t plain;
    dnnl_dims_t strides;
    dnnl_dim_t stride = 1;
    for (int d = md->ndims - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= md->dims[d];
    }
    check(dnnl_memory_desc_init_by_strides(&plain, md->ndims, md->dims, dnnl_f32, strides), "plain");
    int64_t size = dnnl_memory_desc_get_size(md) / sizeof(float);
    float *numbers = malloc(n * sizeof(float)), *memory = malloc(size * sizeof(float));
    int64_t *found = malloc(n * sizeof(int64_t));
    for (int64_t i = 0; i < n; i++) numbers[i] = (float)(i + 1), found[i] = -1;
    for (int64_t i = 0; i < size; i++) memory[i] = -1;
    reorder(engine, &plain, numbers, md, memory);
    for (int64_t i = 0; i < size; i++)
        if (memory[i] > 0) found[(int64_t)memory[i] - 1] = i;
    free(numbers);
    free(memory);
    return found;
}

static void print_list(int n, const dnnl_dim_t *values) {
    for (int d = 0; d < n; d++) printf("%s%" PRId64, d ? "," : "", values[d]);
}

static void describe(dnnl_engine_t engine, dnnl_memory_desc_t *md) {
    int64_t n = product(md->ndims, md->dims);
    print_list(md->ndims, md->padded_dims);
    printf("\t%" PRId64, (int64_t)(dnnl_memory_desc_get_size(md) / sizeof(float)));
    int64_t *found = n ? offsets(engine, md, n) : NULL;
    uint64_t checksum = 0;
    for (int64_t i = 0; i < n; i++) {
        dnnl_dims_t index = {0};
        int64_t rest = i;
        for (int d = md->ndims - 1; d >= 0; d--) index[d] = rest % md->dims[d], rest /= md->dims[d];
        if (found[i] != described(md, index)) fail("a reorder and its descriptor disagree");
        checksum = checksum * 6364136223846793005u + (uint64_t)found[i] + 1;
    }
    printf("\t%" PRIx64 "\t", checksum);
    for (int probe = 1; probe <= 3 && n; probe++) {
        int64_t i = (n - 1) * probe / 3;
        printf("%s%" PRId64 ":%" PRId64, probe > 1 ? "," : "", i, found[i]);
    }
    printf("\n");
    free(found);
}

static void names(void) {
    const dnnl_version_t *version = dnnl_version();
    printf("%d.%d.%d\n", version->major, version->minor, version->patch);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        printf("%s %d\n", tags[i].name, (int)tags[i].tag);
}

static void memory(void) {
    dnnl_engine_t engine;
    check(dnnl_engine_create(&engine, dnnl_cpu, 0), "engine");
    char line[512];
    while (fgets(line, sizeof line, stdin)) {
        dnnl_memory_desc_t md;
        dnnl_dims_t dims;
        int n = 0;
        char *name = strtok(line, " \n"), *dim;
        while ((dim = strtok(NULL, " \n"))) dims[n++] = atoll(dim);
        check(dnnl_memory_desc_init_by_tag(&md, n, dims, dnnl_f32, tag_of(name)), name);
        describe(engine, &md);
    }
    dnnl_engine_destroy(engine);
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "names") == 0)
        names();
    else if (count == 2 && strcmp(arguments[1], "memory") == 0)
        memory();
    else
        fail("usage: onednn names|memory");
    return 0;
}
