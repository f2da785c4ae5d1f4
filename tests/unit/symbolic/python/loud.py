"""An object that tells whatever is done with it."""

from __future__ import annotations


class Loud:
    """Remembers what of it was run."""

    def __init__(self) -> None:
        self.happened: list[str] = []

    def _tell(self, what: str) -> None:
        self.happened.append(what)

    def __repr__(self) -> str:
        self._tell("repr")
        return "1"

    def __eq__(self, other: object) -> bool:
        self._tell("==")
        return True

    def __hash__(self) -> int:
        self._tell("hash")
        return 1

    def __bool__(self) -> bool:
        self._tell("bool")
        return True

    def __call__(self, n: int) -> int:
        self._tell("call")
        return n

    @property
    def limit(self) -> int:
        """Told of, too."""
        self._tell("property")
        return 1
