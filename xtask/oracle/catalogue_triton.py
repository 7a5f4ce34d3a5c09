"""catalogue-triton.tsv: which register of which lane Triton has the elements of AMD's accumulators in.

Oracle: Triton, which turns `AMDMfmaEncodingAttr` into a linear layout: for each bit of a register's and of
a lane's number, what it adds to the row and to the column (by exclusive or). Rows are those of
`positions.py`; the place of an element is `lane * registers + register`.
"""

from triton._C.libtriton import amd, gluon_ir, ir
from triton.experimental.gluon.language.amd import AMDMFMALayout

from positions import COLUMNS, row
from tables import header, output_path, write

# Of CDNA 3 and of CDNA 4, whose instructions are of the same accumulators.
INSTRUCTIONS = [(3, [32, 32, 8]), (3, [16, 16, 16]), (4, [32, 32, 16]), (4, [16, 16, 32])]


def element(bases, number):
    """What the bits of a number add to the row and to the column."""
    at = (0, 0)
    for bit, base in enumerate(bases):
        if number >> bit & 1:
            at = (at[0] ^ base[0], at[1] ^ base[1])
    return at


def places(builder, version, shape):
    layout = AMDMFMALayout(version, shape, transposed=False, warps_per_cta=[1, 1])
    linear = builder.to_linear_layout(layout._to_ir(builder), shape[:2])
    assert not linear.warp_bases and not linear.block_bases
    registers, lanes = (1 << len(bases) for bases in (linear.reg_bases, linear.lane_bases))
    found = {}
    for lane in range(lanes):
        for register in range(registers):
            of_lane, of_register = element(linear.lane_bases, lane), element(linear.reg_bases, register)
            at = of_lane[0] ^ of_register[0], of_lane[1] ^ of_register[1]
            assert found.setdefault(at, lane * registers + register) == lane * registers + register
    return [found[r, c] for r in range(shape[0]) for c in range(shape[1])]


def main():
    context = ir.context()
    ir.load_dialects(context)
    amd.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    rows = {}
    for version, shape in INSTRUCTIONS:
        n = shape[0]
        found = row(f"f32[{n},{n}]@mfma({n}x{n})", n * n, places(builder, version, shape))
        assert rows.setdefault(n, found) == found
    write(output_path(), header(__file__, ["triton"], COLUMNS), list(rows.values()))


main()
