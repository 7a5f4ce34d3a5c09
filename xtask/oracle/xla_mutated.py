"""xla-mutated.tsv: damaged shape texts, and whether XLA's parser takes each, refuses it, or dies.

Oracle: `jaxlib._hlo.Shape(text)`: `ok` with what `str` of it prints; `reject` where it raises;
`abort` where it ends the process (a `LOG(FATAL)` or a failed `CHECK`). The damage is ours, the
verdict XLA's: nothing here knows the grammar well enough to say which text is still good.
"""

import random
import string

from isolate import DIED, answers
from shapes import (REAL, Array, Layout, distinct, escaped, layout_tokens, noisy, random_dims,
                    random_layout, random_shape, text, tokens)
from tables import header, output_path, write

N_ROWS = 8000

# The dark corners of `ParseShape`, `ParseLayout`, `ParseTiles` and the lexer, one by one.
TRAPS = """
F32[3,5]|PRED[]|bool[2]|tf32[2]|opaque_type[]|tuple[]|tuple[2]|buffer[]|invalid[]|b[]|b()|b|f33[2]
f32[3,5]{1,0:}|f32[3,5]{}|f32[]{}|f32[]{:}|f32[]{0}|f32[]{:T(128)}|token[]{}|opaque[]{}|tuple[]{}
token[]{0}|token[]{:S(1)}|opaque[]{0}|opaque[]{:S(1)}|token[0]|token[3]|opaque[3]|opaque[<=3]
token []|token[ ]|token[?]|b(token[])|b(opaque[])|b(())|b((f32[2]))|b(b(f32[2]))|(b(f32[3]))
f32[3,5]{1,0:T()}|f32[3,5]{1,0:T}|f32[3,5]{1,0:T(0,2)}|f32[3,5]{1,0:T(2,0)}|f32[3,5]{1,0:T(2,*)}
f32[3,5]{1,0:T(*)}|f32[3,5]{1,0:T(*,*)}|f32[3,5]{1,0:T(**)}|f32[3,5]{1,0:T(**,2)}|f32[3]{0:T(* 2)}
f32[3,5]{1,0:T(2,2,2)}|f32[3,5]{1,0:T(-1,2)}|f32[3,5]{1,0:T(-9223372036854775808,2)}
f32[3,5]{1,0:T(9223372036854775807)}|f32[3,5]{1,0:T(9223372036854775808)}|f32[3]{0:T(2)(-1)}
f32[3,5]{1,0:T(-9223372036854775809)}|f32[3,5]{1,0:T(99999999999999999999)}|f32[3]{0:T(-0)}
f32[3,5]{1,0:T(2,2}|f32[3,5]{1,0:T(2,2)|f32[3,5]{1,0:T(2,2|f32[3,5]{1,0:T(2,2))}|f32[3]{0:T(2)()}
f32[3]{0:T(2)(}|f32[3]{0:T(2)(3)T(4)}|f32[3]{0:T((2))}|f32[3]{0:T(2)(3}|f32[3]{0:T(2)S}|f32[3]{0:S}
f32[3]{0:(2)}|f32[3,5]{1,0:(2,2)}|f32[3,5]{1,0:T(2,2),S(1)}|f32[3,5]{1,0:T(2,2) S(1)}
f32[3]{0:L(9223372036854775807)}|f32[3]{0:L(9223372036854775808)}|f32[3]{0:S M(3)}|f32[3]{0:#}|f32[3]{0:TS(1)}|f32[3]{0:E(4 S(2)}|f32[3]{0:T(2(3)}|f32[3]{0:L 4)}
f32[3]{0:L}|f32[3]{0:L()}|f32[3]{0:L(0)}|f32[3]{0:L(-3)}|f32[3]{0:L(1)}|f32[3]{0:L(2}|f32[3]{0:L(*)}
f32[3]{0:E}|f32[3]{0:E()}|f32[3]{0:E(0)}|f32[3]{0:E(-4)}|f32[3]{0:E(4}|f32[3]{0:E(1,2)}|f32[3]{0:E(x)}
f32[3]{0:S()}|f32[3]{0:S(0)}|f32[3]{0:S(-3)}|f32[3]{0:S(127)}|f32[3]{0:S(128)}|f32[3]{0:S(255)}
f32[3]{0:S(256)}|f32[3]{0:S(300)}|f32[3]{0:S(-128)}|f32[3]{0:S(9223372036854775807)}|f32[3]{0:S(1}
f32[3]{0:M}|f32[3]{0:M()}|f32[3]{0:M(0)}|f32[3]{0:M(-2)}|f32[3]{0:M(2}|f32[3]{0:M(9223372036854775807)}
f32[3]{0:SC}|f32[3]{0:SC()}|f32[3]{0:SC(0)}|f32[3]{0:SC(0:)}|f32[3]{0:SC(5:2)}|f32[3]{0:SC(0:2}
f32[9]{0:SC(0:3,2,1)}|f32[9]{0:SC(0:2)(0:3)}|f32[3]{0:SC(-1:2)}|f32[3]{0:SC(0:-2)}|f32[3]{0:SC(:2)}
f32[3]{0:SC(0:2)SC(1:2)}|f32[3]{0:SC(0:2)S(1)}|f32[3]{0:S(1)SC(0:2)}|f32[3]{0:SC (0 : 2 , 3)}
f32[3]{0:#()}|f32[3]{0:#(s32)}|f32[3]{0:#(u8)}|f32[3]{0:#(f32)}|f32[3]{0:#(pred)}|f32[3]{0:#(token)}
f32[3]{0:#(u33)}|f32[3]{0:#(s4)}|f32[3]{0:#(c64)}|f32[3]{0:#(u32}|f32[3]{0:#u32}|f32[3]{0:# (u32)}
f32[3]{0:*()}|f32[3]{0:*(s32)}|f32[3]{0:*(f32)}|f32[3]{0:*(pred)}|f32[3]{0:*(u33)}|f32[3]{0:*(u16}
f32[3]{0:*(s32)#(s32)}|f32[3]{0:#(s32)*(s32)}|f32[3]{0:*}|f32[3]{0:#}|f32[3]{0:T(2)*(s32)}
f32[3,5]{1,0:D(D,C)}|f32[3,5]{1,0:D(C+,D~)T(2,2)}|f32[3,5]{1,0:D(D)}|f32[3]{0:D(X)}|f32[3]{0:D()}
f32[3]{0:D(H)}|f32[3]{0:D(S~)}|f32[3]{0:D(D+~)}|f32[3]{0:D(D~+)}|f32[3]{0:D(D++)}|f32[3]{0:D(D,)}
f32[3]{0:D}|f32[3]{0:D(d)}|f32[3]{0:T(2)D(D)}|f32[3]{0:D(D}|f32[3]{0:D(D)#(u32)*(u32)S(1)}
f32[3]{0:P(f32[3]{0})}|f32[3]{0:P(f32[3])}|f32[3]{0:P()}|f32[3]{0:T(2)P(s32[2])}|f32[3]{0:P}
f32[3,5]{0}|f32[3,5]{0,0}|f32[3,5]{2,0}|f32[3,5]{-1,0}|f32[3,5]{0,1,2}|f32[3,5]{,}|f32[3,5]{1,}
f32[3,5]{1 0}|f32[3,5]{1,0,}|f32[3,5]{,1,0}|f32[3]{a}|f32[3]{*}|f32[3]{00}|f32[3]{-0}|f32[3]{:T(2)}
f32[3]{9223372036854775807}|f32[3]{9223372036854775808}|f32[3]{0;T(2)}|f32[3]{0::T(2)}|f32[3]{0 T(2)}
f32[<=3,5]|f32[?,5]|f32[<= 3]|f32[< =3]|f32[<= ?]|f32[<=?]|f32[<=-3]|f32[=3]|f32[>=3]|f32[<3]|f32[??]
f32[3x5]|f32[3,,5]|f32[3,5,]|f32[,3]|f32[-3]|f32[-0]|f32[+3]|f32[03,5]|f32[3 5]|f32[0x3]|f32[3.0]
f32[1e3]|f32[3_0]|f32[?3]|f32[3?]|f32[? ]|f32[*]|f32[x]|f32["3"]|f32[9223372036854775807]
f32[9223372036854775808]|f32[-9223372036854775808]|f32[4611686018427387904,2]|f32[<=0]|f32[0]
f32[99999999999,99999999999]{0,1}|(f32[99999999999,99999999999])|(f32[4611686018427387904])
(f32[3],)|(f32[3] s8[2])|()|(())|( )|(,)|(,f32[3])|((f32[3])|(f32[3]))|()()|(f32[3])(f32[3])|(f32[3]
(f32[3]{0:#(s32)})|(f32[3]{0:*(s32)})|(f32[3,5]{0,0})|(f32[3,5]{2,0})|(f32[3]{0:T()})|(f32[3]{0:T(0)})
(f32[3]{0:T(*)})|(f32[3]{0:E(-4)})|(f32[3]{0:SC(5:2)})|(f32[9]{0:SC(0:2,1)})|(f32[3]{0:S(300)})
((f32[3]{0:T()}))|(f32[3]{0:D(D)})|(f32[3]{0:M(-2)})|(b(f32[3]{0:T()}))|(f32[3]){0}|(f32[3]){}
(f32[3]){0,1}|b(f32[3]{0},)|b(f32[3])b(f32[3])|b (f32[3])|b(f32[3]){0}|B(f32[3])|b(f32[3]{0:T()})
f32|f32[|f32[3|f32]|[3]|f32[3]]|f32[[3]]|f32[3]{|f32[3]{0|f32[3]}|f32[3]{0}}|f32[3]{0}{0}|f32 3
f32[3]x|f32[3] x|f32[3]{0},|f32[3],|f32[3];|%f32[3]|f32[3]=|f32[3] f32[3]|f32(3)|f32<3>|f32{3}
 f32[3]|f32[3] |f32 [3]|f32[3] {0}|f32[3]{ 0 }|f32[3]{0 : T ( 2 ) ( 2 ) }|f32[3]/*|f32[3]//|f32[3]/
f32[3]//x|f32[3]/**/|f32[3]/* /* */|f32[3]/* */ */|/* */f32[3]|f32/**/[3]|f3/**/2[3]|f32[3]/*/
f32[1/**/0]|f32[3]#|f32[3]{0:t(2)}|f32[3]{0:s(1)}|f32[3]{0:sc(0:2)}|f32[3]{0:e(4)}|f32[3]{0:TT(2)}
f32[3]{0:X(1)}|f32[3]{0:T2}|f32[3]{0:T[2]}|f32[3]{0:T{2}}|f32[3]{0:E(4)E(4)}|f32[3]{0:T(2)T(2)}
f32[3]{0:L(2)T(2)}|f32[3]{0:S(1)E(4)}|f32[3]{0:E(4)S(1)}|f32[3]{0:M(4)S(1)}|f32[3]{0:S(1)M(4)}
f32[3]{0:T(2)L(3)#(s32)*(s32)E(3)S(3)SC(0:1)M(3)}|f32[3]{0:D(D)T(2)L(3)#(s32)*(s32)E(3)S(3)SC(0:1)M(3)}
f32[3]{0:T(2)L(3)E(3)S(3)SC(0:1)M(3)}|f32[3,5]{1,0:PAD(4,8)}|f32[3,5]{1,0:T(2,2)PAD(4,8;0)}
f32[2,7,8,11,10]{4,3,2,1,0:T(∗,∗,2,∗,3)}|f32[2,7,8,11,10]{4,3,2,1,0:T(-1,-1,2,-1,3)}|f32[３]|é[3]
""".replace("\n", "|").strip("|").split("|")

JUNK = list("()[]{}:,*#?<>=-+ 0123459TLESMCDPb/%.x") + [
    "<=", "/*", "*/", "//", "T(", ")(", "SC", "-1", "0,", "9223372036854775807",
    "9223372036854775808", "\t", "\n", "∗", "é",
]
ATTRIBUTES = ["T", "L", "#", "*", "E", "S", "SC", "M", "D", "P", "X"]
VALUES = ["(1)", "(2,2)", "(0)", "(-1)", "()", "(s32)", "(f32)", "(0:1)", "(D,C)", "(*)", "(300)", "", "(2"]


def at_character(rng, source):
    """One character dropped, doubled, swapped with the next, replaced or added; or the rest cut."""
    i = rng.randrange(len(source))
    match rng.randrange(6):
        case 0:
            return source[:i] + source[i + 1:]
        case 1:
            return source[:i] + source[i] + source[i:]
        case 2:
            return source[:i] + source[i + 1:i + 2] + source[i] + source[i + 2:]
        case 3:
            return source[:i] + rng.choice(JUNK) + source[i + 1:]
        case 4:
            return source[:i] + rng.choice(JUNK) + source[i:]
        case _:
            return source[:i]


def at_token(rng, shape):
    """The same to a token."""
    parts = tokens(shape)
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    match rng.randrange(5):
        case 0:
            del parts[i]
        case 1:
            parts.insert(i, parts[j])
        case 2:
            parts[i], parts[j] = parts[j], parts[i]
        case 3:
            parts[i] = rng.choice(JUNK)
        case _:
            numbers = [k for k, part in enumerate(parts) if part.isdigit()]
            if numbers:
                parts[rng.choice(numbers)] = rng.choice(["0", "-1", "*", "?", "128", "300", "", "00", "s32"])
    return "".join(parts)


def change_case(rng, source):
    letters = [i for i, c in enumerate(source) if c in string.ascii_letters]
    if not letters or rng.random() < 0.2:
        return source.swapcase()
    i = rng.choice(letters)
    return source[:i] + source[i].swapcase() + source[i + 1:]


def attributes(layout):
    """The attributes of a layout as separate texts, in XLA's order."""
    alone = []
    for name in ["tiles", "tail", "index_type", "pointer_type", "element_bits", "space", "splits", "metadata"]:
        value = getattr(layout, name)
        if value not in (None, []):
            alone.append("".join(layout_tokens(Layout([], **{name: value}))[2:-1]))
    return alone


def odd_attributes(rng):
    """An array whose attributes come in another order, twice, with commas, or are strange."""
    rank = rng.randint(0, 3)
    dims = random_dims(rng, rank, small=True)
    layout = random_layout(rng, "f32", dims)
    parts = attributes(layout)
    roll = rng.random()
    if roll < 0.35:
        rng.shuffle(parts)
    elif roll < 0.55 and parts:
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(parts))
    elif roll < 0.9:
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(ATTRIBUTES) + rng.choice(VALUES))
    separator = rng.choice(["", "", "", " ", ",", ":"])
    order = ",".join(map(str, layout.minor_to_major))
    return text(Array("f32", dims)) + "{" + order + ":" + separator.join(parts) + "}"


def mutant(rng):
    roll = rng.random()
    if roll < 0.2:
        return odd_attributes(rng)
    if roll < 0.25:
        return at_character(rng, rng.choice(REAL))
    shape = random_shape(rng)
    if roll < 0.55:
        return at_token(rng, shape)
    source = text(shape) if rng.random() < 0.85 else noisy(rng, shape)
    if roll < 0.62:
        return change_case(rng, source)
    damaged = at_character(rng, source)
    return at_character(rng, damaged) if damaged and rng.random() < 0.15 else damaged


def texts(rng):
    yield from TRAPS
    yield ""
    for depth in [1, 2, 50, 100]:
        yield "(" * depth + ")" * depth
    while True:
        yield mutant(rng)


def printed(shape_text):
    from jaxlib._hlo import Shape

    return str(Shape(shape_text))


def verdict(answer):
    if answer is DIED:
        return "abort", ""
    if isinstance(answer, Exception):
        return "reject", ""
    return "ok", escaped(answer)


def main():
    wanted = distinct(texts(random.Random(2)), N_ROWS, longest=200)
    rows = [(escaped(t), *verdict(a)) for t, a in zip(wanted, answers(printed, wanted))]
    write(output_path(), header(__file__, ["jaxlib"], "columns: text; ok, reject or abort; "
          "str(jaxlib._hlo.Shape(text)) where ok; \\t \\n \\\\ are escapes"), rows)


if __name__ == "__main__":
    main()
