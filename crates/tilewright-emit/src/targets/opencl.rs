//! OpenCL C: functions, and a kernel with a work item for each word of the destination; where the relayout transposes,
//! with a work group for each tile, which goes through local memory.
//!
//! The kernel takes any number of work items along one dimension, in groups of any size.

use super::Source;
use super::c_kernel::KernelDialect;
use super::c_like::Dialect;
use crate::error::Error;

const DIALECT: Dialect = Dialect {
    int32: "int",
    uint32: "uint",
    int64: "long",
    qualifiers: "static inline",
    suffix: "L",
};

const KERNEL: KernelDialect = KernelDialect {
    dialect: DIALECT,
    signature: "__kernel void NAME_relayout(__global const uchar *from, __global uchar *to)",
    words: [(8, "uchar"), (16, "ushort"), (32, "uint"), (64, "ulong"), (128, "uint4")],
    memory: "__global ",
    first: "get_global_id(0)",
    step: "get_global_size(0)",
    vector: "(uint4)(A, B, C, D)",
    shared: "__local ",
    barrier: "barrier(CLK_LOCAL_MEM_FENCE)",
    thread: "get_local_id(0)",
    threads: "get_local_size(0)",
    group: "get_group_id(0)",
    groups: "get_num_groups(0)",
};

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    KERNEL.emit(source)
}
