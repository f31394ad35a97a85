"""What generated code may use: memory, time and the size of what it gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one sandbox process. A call that passes one is a defect of the tool, and the process ends.

    `memory_mb` is address space, the interpreter's own 100 MB included; `call_s` is wall time of one call,
    `import_s` of reading a file of tools; `cpu_s` ends a process that its owner left behind.
    """

    memory_mb: int = 512
    call_s: float = 2.0
    import_s: float = 5.0
    cpu_s: int = 60
    result_bytes: int = 1 << 20


DEFAULT = Limits()
