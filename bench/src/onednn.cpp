// oneDNN's reorder behind a few functions of plain C, so that the benchmark can do without it:
// the xtask compiles this file where the library is installed, and the benchmark loads it.

#include <cstdint>
#include <cstdio>
#include <cstring>

#include <omp.h>

#include <oneapi/dnnl/dnnl.h>

namespace {

constexpr int max_dims = DNNL_MAX_NDIMS;

struct reorder {
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    dnnl_memory_t src = nullptr;
    dnnl_memory_t dst = nullptr;
    dnnl_primitive_t primitive = nullptr;
    int threads = 1;
};

} // namespace

extern "C" {

// How one side lies in memory: the strides of the outermost blocks in elements, then blocks within
// blocks, each of a size along a dimension. Blocks are dense. As in oneDNN's own description.
struct side {
    int64_t strides[max_dims];
    int64_t padded_dims[max_dims];
    int32_t n_blocks;
    int32_t block_dims[max_dims];
    int64_t block_sizes[max_dims];
};

void bench_onednn_version(char *text, size_t size) {
    const dnnl_version_t *version = dnnl_version();
    std::snprintf(text, size, "%d.%d.%d", version->major, version->minor, version->patch);
}

void bench_onednn_destroy(reorder *self) {
    if (!self) return;
    dnnl_primitive_destroy(self->primitive);
    dnnl_memory_destroy(self->src);
    dnnl_memory_destroy(self->dst);
    dnnl_stream_destroy(self->stream);
    dnnl_engine_destroy(self->engine);
    delete self;
}

} // extern "C"

namespace {

#if DNNL_VERSION_MAJOR < 3
using description = dnnl_memory_desc_t;

const description *pointer(const description &it) { return &it; }

void release(description &) {}

bool describe(description &it, int rank, const int64_t *dims, dnnl_data_type_t type, const side &s) {
    // Without strides: those between blocks are not what this function expects.
    if (dnnl_memory_desc_init_by_strides(&it, rank, dims, type, nullptr) != dnnl_success)
        return false;
    auto &blocking = it.format_desc.blocking;
    std::memcpy(blocking.strides, s.strides, sizeof(int64_t) * rank);
    std::memcpy(it.padded_dims, s.padded_dims, sizeof(int64_t) * rank);
    blocking.inner_nblks = s.n_blocks;
    for (int i = 0; i < s.n_blocks; ++i) {
        blocking.inner_blks[i] = s.block_sizes[i];
        blocking.inner_idxs[i] = s.block_dims[i];
    }
    return true;
}
#else
using description = dnnl_memory_desc_t; // a pointer, since 3.0

const_dnnl_memory_desc_t pointer(const description &it) { return it; }

void release(description &it) { dnnl_memory_desc_destroy(it); }

// Version 3 has no way to describe blocks other than those it has a name for.
bool describe(description &it, int rank, const int64_t *dims, dnnl_data_type_t type, const side &s) {
    if (s.n_blocks != 0) return false;
    return dnnl_memory_desc_create_with_strides(&it, rank, dims, type, s.strides) == dnnl_success;
}
#endif

bool build(reorder &self, const description &src, const description &dst) {
    if (dnnl_engine_create(&self.engine, dnnl_cpu, 0) != dnnl_success) return false;
    if (dnnl_stream_create(&self.stream, self.engine, dnnl_stream_default_flags) != dnnl_success)
        return false;
    dnnl_primitive_desc_t plan = nullptr;
    if (dnnl_reorder_primitive_desc_create(
                &plan, pointer(src), self.engine, pointer(dst), self.engine, nullptr)
            != dnnl_success)
        return false;
    bool built = dnnl_primitive_create(&self.primitive, plan) == dnnl_success;
    dnnl_primitive_desc_destroy(plan);
    return built
            && dnnl_memory_create(&self.src, pointer(src), self.engine, DNNL_MEMORY_NONE)
            == dnnl_success
            && dnnl_memory_create(&self.dst, pointer(dst), self.engine, DNNL_MEMORY_NONE)
            == dnnl_success;
}

} // namespace

extern "C" {

// A reorder of elements of 1 or 4 bytes, or null where oneDNN has none.
reorder *bench_onednn_create(int32_t rank, const int64_t *dims, int32_t element_bytes,
        const side *from, const side *to, int32_t threads) {
    if (rank < 1 || rank > max_dims) return nullptr;
    auto type = element_bytes == 4 ? dnnl_f32 : dnnl_s8;
    omp_set_num_threads(threads);
    auto *self = new reorder;
    self->threads = threads;
    description src, dst;
    bool built = false;
    if (describe(src, rank, dims, type, *from)) {
        if (describe(dst, rank, dims, type, *to)) {
            built = build(*self, src, dst);
            release(dst);
        }
        release(src);
    }
    if (built) return self;
    bench_onednn_destroy(self);
    return nullptr;
}

// Where the elements are. oneDNN sets the padding to zero, on both sides.
int32_t bench_onednn_attach(reorder *self, void *src, void *dst) {
    dnnl_status_t status = dnnl_memory_set_data_handle(self->src, src);
    if (status == dnnl_success) status = dnnl_memory_set_data_handle(self->dst, dst);
    return static_cast<int32_t>(status);
}

// Zero if it was done.
int32_t bench_onednn_run(reorder *self) {
    omp_set_num_threads(self->threads);
    dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, self->src}, {DNNL_ARG_TO, self->dst}};
    dnnl_status_t status = dnnl_primitive_execute(self->primitive, self->stream, 2, args);
    if (status == dnnl_success) status = dnnl_stream_wait(self->stream);
    return static_cast<int32_t>(status);
}

} // extern "C"
