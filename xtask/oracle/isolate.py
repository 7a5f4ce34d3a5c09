"""Asks an oracle questions it may die of.

XLA's parser ends the process on some texts (`LOG(FATAL)`, a failed `CHECK`), and the TPU compiler
can die or hang. So each question goes to a child process, one at a time; when the child dies or is
silent for too long, that question's answer is DIED and a new child takes the next one. An exception
is an answer like any other.
"""

import multiprocessing
import os
import resource

DIED = ChildProcessError("asking this ended the process")


def answers(question, items, timeout=60, quiet=True):
    """Yields `question(item)` for each item, or the exception it raised, or DIED.

    `question` is a module-level function whose results can be pickled.
    """
    context = multiprocessing.get_context("spawn")
    child, pipe = None, None
    for item in items:
        if child is None:
            pipe, far_end = context.Pipe()
            child = context.Process(target=serve, args=(question, far_end, quiet), daemon=True)
            child.start()
            far_end.close()
        pipe.send(item)
        try:
            if not pipe.poll(timeout):
                raise EOFError
            answer = pipe.recv()
        except (EOFError, ConnectionResetError):
            child.kill()
            child.join()
            child, answer = None, DIED
        yield answer
    if child is not None:
        pipe.close()
        child.join()


def certain(question, items):
    """`answers` for questions that must have one: stops at the first that has none."""
    for item, answer in zip(items, answers(question, items)):
        if isinstance(answer, Exception):
            raise SystemExit(f"{item!r}: {answer}")
        yield answer


def serve(question, pipe, quiet):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if quiet:  # the stack traces of the deaths
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        try:
            answer = question(item)
        except Exception as error:  # whatever it is, it is the oracle's answer
            answer = RuntimeError(str(error))
        pipe.send(answer)
