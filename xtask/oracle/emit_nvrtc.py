"""emit-nvrtc: the CUDA of `tilewright emit`, compiled to PTX.

Oracle: NVRTC, the CUDA compiler as a library (`nvidia-cuda-nvrtc-cu12`), which needs no GPU. A warning is an error.
Nothing runs here: what the kernels do is tested where they are compiled as C++.
"""

import ctypes
import glob
import os
from importlib.metadata import distribution

from emit_cases import cases

PACKAGE = "nvidia-cuda-nvrtc-cu12"
ARCHITECTURES = ["compute_75", "compute_90"]


def nvrtc():
    """The library of the package."""
    names = [str(file.locate()) for file in distribution(PACKAGE).files]
    names = [name for name in names if os.path.basename(name).startswith("libnvrtc.so")]
    return ctypes.CDLL(names[0] if names else glob.glob("libnvrtc.so*")[0])


def text_of(library, what, program):
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, text)
    return text.value.decode()


def compiled(library, name, source, architecture):
    """The PTX of a source text; stops with the compiler's messages."""
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), name.encode(), 0, None, None
    )
    options = [f"--gpu-architecture={architecture}".encode(), b"--std=c++17"]
    # Functions that this text does not call are no fault of it.
    options += [b"--diag-suppress=177"]
    given = (ctypes.c_char_p * len(options))(*options)
    is_compiled = library.nvrtcCompileProgram(program, len(options), given) == 0
    log = text_of(library, "ProgramLog", program).strip()
    if log or not is_compiled:
        raise SystemExit(f"{name} for {architecture}: {log}")
    ptx = text_of(library, "PTX", program)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx


def main():
    library, every = nvrtc(), cases("cuda")
    n_kernels = 0
    for case in every:
        for architecture in ARCHITECTURES:
            ptx = compiled(library, str(case), case.code, architecture)
            is_kernel = f".entry {case.name}_relayout" in ptx
            if is_kernel != case.is_relayout:
                raise SystemExit(f"{case}: a kernel is expected of a relayout alone")
        n_kernels += case.is_relayout
    print(f"emit-nvrtc: {len(every)} texts and {n_kernels} kernels compile for {', '.join(ARCHITECTURES)}")


if __name__ == "__main__":
    main()
