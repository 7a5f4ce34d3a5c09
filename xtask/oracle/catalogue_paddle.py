"""catalogue-paddle.tsv: where Paddle's weights for GEMMs of mixed types put every element.

Oracle: `paddle.nn.quant.weight_quantize` on the CPU, the rows permuted, columns interleaved and bias added
for the kernels that TensorRT-LLM has too. It quantises what it packs, by columns, so that it is given
codes as numbers with the largest in each column, which have a scale of 1; where an element lies is where
the packed codes of many such arrays are its codes. Rows are those of `positions.py`.
"""

import numpy as np
import paddle
from paddle.nn.quant import weight_quantize

from positions import COLUMNS, row
from tables import header, output_path, write

N_ARRAYS = 16


def codes(rng, dims, most):
    """Random codes, the largest in each column at a random row."""
    rows, columns = dims
    drawn = rng.integers(-most, most + 1, dims)
    drawn[rng.integers(0, rows, columns), np.arange(columns)] = most
    return drawn


def packed(given, bits):
    numbers = paddle.to_tensor(given.astype(np.float16))
    bytes_, scales = weight_quantize(numbers, algo=f"weight_only_int{bits}", arch=80)
    assert np.allclose(scales.numpy() * (2 ** (bits - 1) - 1), given.max(0)), "a scale is not 1"
    slots = bytes_.numpy().view(np.uint8).ravel()
    return slots if bits == 8 else np.stack([slots & 15, slots >> 4], axis=1).ravel()


def found(array, dims, bits):
    rng = np.random.default_rng(0)
    given = [codes(rng, dims, 2 ** (bits - 1) - 1) for _ in range(N_ARRAYS)]
    slots = np.array([packed(each, bits) for each in given])
    flipped = 1 << bits - 1
    slot_of = {history: slot for slot, history in enumerate(map(tuple, (slots ^ flipped).T))}
    assert len(slot_of) == slots.shape[1], "two places have the same codes"
    histories = np.array([each.ravel() & 2**bits - 1 for each in given]).T
    return row(array, slots.shape[1], [slot_of[tuple(each)] for each in histories], "-", flipped)


def main():
    rows = []
    for dims in [(64, 16), (128, 48), (192, 32), (64, 128)]:
        for bits in (4, 8):
            array = f"s{bits}[{dims[0]},{dims[1]}]@trtllm(w{bits}a16,sm80)"
            rows.append(found(array, dims, bits))
    write(output_path(), header(__file__, ["paddlepaddle"], COLUMNS), rows)


main()
