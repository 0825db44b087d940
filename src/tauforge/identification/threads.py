"""Linear algebra on one thread."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext


def one_thread_each() -> AbstractContextManager[object]:
    """Keep the threads of linear algebra from waiting for each other, and from competing with workers.

    The matrices here are small. Without threadpoolctl, of the extra ``identify``, threads stay as they are.
    """
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    limited: AbstractContextManager[object] = threadpool_limits(1, "blas")
    return limited
