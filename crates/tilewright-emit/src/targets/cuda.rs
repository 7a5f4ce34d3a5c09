//! CUDA C++: device functions, and a kernel with a thread for each word of the destination; where the relayout
//! transposes, with a block of threads for each tile, which goes through shared memory.
//!
//! The kernel takes any grid: threads and blocks go on in steps of the grid.

use super::Source;
use super::c_kernel::KernelDialect;
use super::c_like::Dialect;
use crate::error::Error;

const DIALECT: Dialect = Dialect {
    int32: "int",
    uint32: "unsigned int",
    int64: "long long",
    qualifiers: "__host__ __device__ static inline",
    suffix: "LL",
};

const KERNEL: KernelDialect = KernelDialect {
    dialect: DIALECT,
    signature: "extern \"C\" __global__ void NAME_relayout(const void *from, void *to)",
    words: [
        (8, "unsigned char"),
        (16, "unsigned short"),
        (32, "unsigned int"),
        (64, "unsigned long long"),
        (128, "uint4"),
    ],
    memory: "",
    first: "blockIdx.x * (INT)blockDim.x + threadIdx.x",
    step: "(INT)gridDim.x * blockDim.x",
    vector: "make_uint4(A, B, C, D)",
    shared: "__shared__ ",
    barrier: "__syncthreads()",
    thread: "threadIdx.x",
    threads: "blockDim.x",
    group: "blockIdx.x",
    groups: "gridDim.x",
};

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    KERNEL.emit(source)
}
