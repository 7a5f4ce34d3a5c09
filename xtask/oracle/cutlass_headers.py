"""Where the headers of CUTLASS, and of CUDA that they include, are installed."""

import os
from importlib.metadata import files

import cutlass_library

CUDA = ["nvidia-cuda-runtime-cu12", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-cccl-cu12"]


def cuda_include(package):
    """The folder of a package's headers."""
    inside = next(str(file) for file in files(package) if "/include/" in str(file))
    site = os.path.dirname(os.path.dirname(cutlass_library.__file__))
    return os.path.join(site, inside[: inside.index("/include/")], "include")


def include_options():
    """The compiler's options that make it find them."""
    source = os.path.join(os.path.dirname(cutlass_library.__file__), "source", "include")
    includes = [source, *map(cuda_include, CUDA)]
    return [option for include in includes for option in ("-isystem", include)]
