// Where CUTLASS puts the scales of block-scaled matrices and the operands of its MMA instructions.
//
// `catalogue_cutlass.py` compiles this for the host against CUTLASS's headers. For each array one line:
//   array <tab> elements in memory <tab> place of each element, in row-major order, separated by blanks
//
// Scales: reads `vector rows scales batch` a line. The layout that the collectives are given has a mode
// of the vector that shares a scale; that all its places are one is checked here.
// Fragments: the traits' layouts go from (thread, value) to the place in the column-major matrix. Here
// they are turned round: where an element is, as `thread * values + value`.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cute/atom/mma_traits_sm75.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm89.hpp>
#include <cute/atom/mma_traits_sm90.hpp>
#include <cutlass/detail/sm100_blockscaled_layout.hpp>

using namespace cute;

static void fail(const char *what) {
    std::fprintf(stderr, "cutlass: %s\n", what);
    std::exit(1);
}

static void print_places(const std::vector<long> &places) {
    for (long place : places) std::printf(" %ld", place);
    std::printf("\n");
}

template <int vector_size, class Problem>
static auto layout_of(Problem problem) {
    using Config = cutlass::detail::Sm1xxBlockScaledConfig<vector_size>;
    auto a = Config::tile_atom_to_shape_SFA(problem);
    // The scales of B are those of a matrix of N rows.
    auto [m, n, k, l] = problem;
    auto b = Config::tile_atom_to_shape_SFB(make_shape(n, m, k, l));
    if (cosize(a) != cosize(b)) fail("the scales of A and B differ");
    return a;
}

template <int vector_size>
static void scales(long rows, long scales_of_row, long batch) {
    auto problem = make_shape(int(rows), 1, int(scales_of_row * vector_size), int(batch));
    auto layout = layout_of<vector_size>(problem);
    std::vector<long> places;
    for (int l = 0; l < batch; l++)
        for (int m = 0; m < rows; m++)
            for (int s = 0; s < scales_of_row; s++) {
                long place = layout(m, s * vector_size, l);
                for (int i = 1; i < vector_size; i++)
                    if (layout(m, s * vector_size + i, l) != place) fail("a vector has several scales");
                places.push_back(place);
            }
    if (batch == 1)
        std::printf("u8[%ld,%ld]@sf128x4\t%ld\t", rows, scales_of_row, long(cosize(layout)));
    else
        std::printf("u8[%ld,%ld,%ld]@sf128x4\t%ld\t", batch, rows, scales_of_row, long(cosize(layout)));
    print_places(places);
}

template <class Fragment>
static void fragment(const char *type, const char *operand, long rows, long columns, Fragment layout) {
    long values = size<1>(layout);
    std::vector<long> places(rows * columns, -1);
    for (int thread = 0; thread < size<0>(layout); thread++)
        for (int value = 0; value < values; value++) {
            long element = layout(thread, value);
            places.at(element % rows * columns + element / rows) = thread * values + value;
        }
    std::printf("%s[%ld,%ld]@mma(%s)\t%ld\t", type, rows, columns, operand, long(size(layout)));
    print_places(places);
}

template <class Operation>
static void operands(const char *type, const char *sum) {
    using Traits = MMA_Traits<Operation>;
    auto [m, n, k] = typename Traits::Shape_MNK{};
    fragment(type, "a", m, k, typename Traits::ALayout{});
    fragment(type, "b", n, k, typename Traits::BLayout{});
    fragment(sum, "c", m, n, typename Traits::CLayout{});
}

static void all_fragments() {
    operands<SM75_16x8x8_F32F16F16F32_TN>("f16", "f32");
    operands<SM75_8x8x16_S32S8S8S32_TN>("s8", "s32");
    operands<SM80_16x8x8_F16F16F16F16_TN>("f16", "f16");
    operands<SM80_16x8x16_F16F16F16F16_TN>("f16", "f16");
    operands<SM80_16x8x16_F32F16F16F32_TN>("f16", "f32");
    operands<SM80_16x8x8_F32BF16BF16F32_TN>("bf16", "f32");
    operands<SM80_16x8x16_F32BF16BF16F32_TN>("bf16", "f32");
    operands<SM80_16x8x4_F32TF32TF32F32_TN>("f32", "f32");
    operands<SM80_16x8x8_F32TF32TF32F32_TN>("f32", "f32");
    operands<SM80_8x8x4_F64F64F64F64_TN>("f64", "f64");
    operands<SM80_8x8x16_S32S8S8S32_TN>("s8", "s32");
    operands<SM80_16x8x16_S32S8S8S32_TN>("s8", "s32");
    operands<SM80_16x8x32_S32U8U8S32_TN>("u8", "s32");
    operands<SM80_8x8x32_S32S4S4S32_TN>("s4", "s32");
    // The traits of m16n8k32 for nibbles give two elements of B one place, so that only A is asked for.
    using Nibbles = MMA_Traits<SM80_16x8x32_S32U4U4S32_TN>;
    fragment("u4", "a", 16, 32, typename Nibbles::ALayout{});
    operands<SM80_16x8x64_S32U4U4S32_TN>("u4", "s32");
    operands<SM89_16x8x32_F32E4M3E4M3F32_TN>("f8e4m3fn", "f32");
    operands<SM89_16x8x32_F32E5M2E5M2F32_TN>("f8e5m2", "f32");
    operands<SM90_16x8x4_F64F64F64F64_TN>("f64", "f64");
    operands<SM90_16x8x8_F64F64F64F64_TN>("f64", "f64");
    operands<SM90_16x8x16_F64F64F64F64_TN>("f64", "f64");
}

int main() {
    long vector, rows, scales_of_row, batch;
    while (std::scanf("%ld %ld %ld %ld", &vector, &rows, &scales_of_row, &batch) == 4)
        switch (vector) {
        case 16: scales<16>(rows, scales_of_row, batch); break;
        case 32: scales<32>(rows, scales_of_row, batch); break;
        default: fail("vectors have 16 or 32 elements");
        }
    all_fragments();
}
