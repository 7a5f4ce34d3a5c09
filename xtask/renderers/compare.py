"""Draws layouts, and compares what Chromium, resvg and CairoSVG make of the SVG, and the own PNG.

Renderers have letters of other shapes and edges that are smoothed otherwise. Seen from afar these are
alike: pictures are made coarse, 16 by 16 dots of the PNG to one, and the greatest and the mean difference
of a colour is told, of 255. A colour that is missing, a hatch that is black or a text elsewhere is more
than `MOST`.

Usage: compare.py COMMAND CHROMIUM FONTS FOLDER
"""

import io
import subprocess
import sys
from pathlib import Path

import cairosvg
import numpy as np
import resvg_py
from PIL import Image

# What is drawn, under its name.
PICTURES = {
    "tiles": ["f32[3,5]{1,0:T(2,2)}", "--at", "2,3"],
    "pairs": ["bf16[30,300]{1,0:T(8,128)(2,1)}"],
    "bits": ["s4[6,10]{1,0:T(2,4)E(4)}"],
    "slices": ["f32[4,3,6,10]{3,2,1,0:T(2,4)}"],
    "fractal": ["((4,2),(4,3)):((4,16),(1,32)):(8,12)"],
    "swizzle": ["Sw<3,0,3> o 0 o (8,8):(8,1)", "--color", "bank:8x1"],
    "threads": ["((4,8),(2,2)):((32,1),(16,8))", "--color", "thread", "--tile", "16,8"],
    "broadcast": ["(4,(2,2)):(1,(0,4))"],
    "compare": ["f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1:T(2,2)}"],
    "moves": ["f32[3,4]{1,0:T(2,4)}", "f32[3,4]{1,0:T(4,2)}", "--moves"],
    "steps": ["f32[3,5]{1,0:T(2,2)}", "--steps"],
    "memory": ["bf16[30,300]{1,0:T(8,128)(2,1)}", "--direction", "memory"],
}

# Dots of a picture for each of its units, and how many of them are one in the coarse picture.
SCALE = 2
COARSE = 16

# The greatest difference that letters make, and the greatest mean difference, of 255.
MOST, MEAN = 90.0, 1.5


def coarse(picture, background):
    """The picture, seen from afar. Round corners show what it stands on."""
    width, height = (max(1, side // COARSE) for side in picture.size)
    page = Image.new("RGBA", picture.size, background)
    page.alpha_composite(picture.convert("RGBA"))
    return np.asarray(page.convert("RGB").resize((width, height), Image.BOX), float)


def of_cairo(svg):
    return Image.open(io.BytesIO(cairosvg.svg2png(bytestring=svg.encode(), scale=SCALE)))


def of_resvg(svg, fonts):
    """It loads no fonts by itself."""
    names = {"monospace_family": "DejaVu Sans Mono", "sans_serif_family": "DejaVu Sans"}
    png = resvg_py.svg_to_bytes(svg_string=svg, font_dirs=[fonts], zoom=SCALE, **names)
    return Image.open(io.BytesIO(bytes(png)))


def of_chromium(path, chromium, size):
    png = path.with_suffix(".chromium.png")
    options = ["--headless", "--default-background-color=00000000", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    width, height = (-(-side // SCALE) for side in size)
    options += [f"--force-device-scale-factor={SCALE}", f"--window-size={width},{height}"]
    command = [chromium, *options, f"--screenshot={png}", path.as_uri()]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Image.open(png).crop((0, 0, *size))


def main(command, chromium, fonts, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{'picture':<18}{'Chromium':>16}{'resvg':>16}{'CairoSVG':>16}   (greatest, mean; of 255)")
    worst = [0.0, 0.0]
    for name, arguments in PICTURES.items():
        for theme in ("light", "dark"):
            path = folder / f"{name}-{theme}.svg"
            for target in (path, path.with_suffix(".png")):
                draw = [command, "draw", *arguments, "--theme", theme, "--force", "-o", str(target)]
                subprocess.run(draw, check=True, stdout=subprocess.DEVNULL)
            svg, own = path.read_text(), Image.open(path.with_suffix(".png"))
            others = (
                of_chromium(path, chromium, own.size),
                of_resvg(svg, fonts),
                of_cairo(svg),
            )
            line = f"{path.stem:<18}"
            for other in others:
                # Sides that are no whole number of dots are rounded up or down.
                assert all(abs(a - b) <= SCALE for a, b in zip(other.size, own.size)), other.size
                background = own.getpixel((0, 0))
                seen = [coarse(side, background) for side in (own, other.resize(own.size))]
                difference = np.abs(seen[0] - seen[1])
                found = [float(difference.max()), float(difference.mean())]
                worst = [max(pair) for pair in zip(worst, found)]
                line += f"{found[0]:>9.1f}{found[1]:>7.2f}"
            print(line, flush=True)
    print(f"the greatest difference is {worst[0]:.1f}, the greatest mean {worst[1]:.2f}")
    return worst[0] > MOST or worst[1] > MEAN


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
