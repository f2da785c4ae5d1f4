"""`str.encode(...).str.decode(...)`: how programs take off accents. The bytes between both are in no column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from predtrace.frontends.pandas.core.dtypes import TEXT
from predtrace.frontends.pandas.core.steps import refused
from predtrace.frontends.pandas.texts.shared import TextValues

if TYPE_CHECKING:
    from predtrace.frontends.pandas.series import Series


class Encoded:
    """Texts that are to be bytes in an encoding."""

    def __init__(self, series: Series, encoding: str, errors: str) -> None:
        self._series = series
        self._encoding = encoding
        self._errors = errors

    @property
    def str(self) -> _Bytes:
        """The methods of bytes."""
        return _Bytes(self._series, self._encoding, self._errors)

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise refused("Series.str.encode()", "no column holds bytes", "decode them at once: .str.decode(...)")


class _Bytes(TextValues):
    def __init__(self, series: Series, encoding: Any, errors: Any) -> None:
        super().__init__(series)
        self._encoding = encoding
        self._errors = errors

    def decode(self, encoding: Any, errors: Any = "strict") -> Series:
        """The texts that the bytes are in an encoding."""
        first, first_errors = self._encoding, self._errors
        return self._each(
            "encode", lambda text: text.encode(first, first_errors).decode(encoding, errors), TEXT
        )

    def __getattr__(self, name: Any) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise refused(f"Series.str.encode().str.{name}", "no column holds bytes", "decode them at once")
