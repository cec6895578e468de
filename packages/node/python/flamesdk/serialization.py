"""Results and intermediate data as bytes, and back."""

import io
import math
import pickle
import random
from typing import Any, Dict, List, Optional

SAFE_NAMES = {
    "builtins": frozenset(
        (
            "bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int",
            "list", "range", "set", "slice", "str", "tuple",
        )
    ),
    "collections": frozenset(("OrderedDict", "defaultdict", "deque", "Counter")),
    "datetime": frozenset(("date", "datetime", "time", "timedelta", "timezone")),
    "decimal": frozenset(("Decimal",)),
    "fractions": frozenset(("Fraction",)),
    "uuid": frozenset(("UUID",)),
    "numpy": frozenset(("ndarray", "dtype")),
}
NUMPY_NAMES = frozenset(("_reconstruct", "scalar", "_frombuffer"))
NUMPY_MODULES = frozenset(
    ("numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric", "numpy._core.numeric")
)


class _DataUnpickler(pickle.Unpickler):
    """Builds data only. What another node sent must not run code here that nobody approved."""

    def find_class(self, module: str, name: str) -> Any:
        is_numpy = module in NUMPY_MODULES and name in NUMPY_NAMES
        if is_numpy or name in SAFE_NAMES.get(module, ()):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not data: send numbers, texts, lists, dicts or arrays")


def dump(data: Any) -> bytes:
    return pickle.dumps(data)


def load(content: bytes) -> Any:
    return _DataUnpickler(io.BytesIO(content)).load()


def result_bytes(result: Any, output_type: str) -> bytes:
    if output_type == "str":
        return str(result).encode()
    if output_type == "bytes":
        return bytes(result)
    if output_type == "pickle":
        return pickle.dumps(result)
    raise ValueError(f'"{output_type}" is not an output type: use str, bytes or pickle')


def numbered(name: str, count: int) -> List[str]:
    """The names of several results: `result_1.txt`, `result_2.txt`."""
    if count == 1:
        return [name]
    stem, dot, ending = name.partition(".")
    return [f"{stem}_{number}{dot}{ending}" for number in range(1, count + 1)]


def noisy(result: Any, local_dp: Optional[Dict[str, float]]) -> Any:
    """Adds noise of Laplace to a number, for differential privacy."""
    if local_dp is None:
        return result
    scale = local_dp["sensitivity"] / local_dp["epsilon"]
    uniform = random.SystemRandom().random() - 0.5
    return float(result) - scale * math.copysign(1, uniform) * math.log(1 - 2 * abs(uniform))
