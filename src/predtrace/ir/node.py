"""What all expressions have in common: parts, and that these are shared.

A predicate that was pushed through many steps has the same parts in many places. They are one object there, which
comparing, hashing and what `ir.parts` does see once: so a long pipeline takes as long as it is, not as its predicate
written out. What is found out about an expression stays with that very object: equal ones may have other types.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from predtrace.errors import PlanIntegrityError
from predtrace.ir.types import DataType

if TYPE_CHECKING:
    from predtrace.ir.expressions import Column


@dataclass(frozen=True)
class Expression:
    """Base of all expressions. `children` lists the sub-expressions, `rebuilt` replaces them."""

    needs_one_row: ClassVar[bool] = True
    """Whether the values of its parts for a row decide its value for the row."""

    def __init_subclass__(cls) -> None:
        # A dataclass leaves alone what its class has already.
        if "__eq__" not in vars(cls):
            cls.__eq__, cls.__hash__ = Expression.__eq__, Expression.__hash__  # type: ignore[method-assign]

    def __eq__(self, other: object) -> bool:
        """Compares two parts once, however often they stand in what is compared: equal ones are known as such."""
        if self is other:
            return True
        if type(self) is not type(other) or not isinstance(other, Expression) or self._hash != other._hash:
            return False
        if self._representative is not other._representative:
            if self._contents != other._contents:
                return False
            vars(other)["_representative"] = self._representative
        return True

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), *self._contents))

    @property
    def _contents(self) -> tuple[object, ...]:
        kind: Any = type(self)
        return tuple(getattr(self, name) for name in _compared_fields(kind))

    @cached_property
    def _representative(self) -> Expression:
        return self

    @cached_property
    def findings(self) -> dict[str, Any]:
        """What others found out about this very object and want to know again."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        # A hash holds in this process only.
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def type(self) -> DataType:
        raise NotImplementedError

    @property
    def nullable(self) -> bool:
        return True

    def children(self) -> tuple[Expression, ...]:
        return ()

    def rebuilt(self, children: tuple[Expression, ...]) -> Expression:
        if children:
            raise PlanIntegrityError(f"{type(self).__name__} has no children to replace")
        return self

    def is_deterministic(self) -> bool:
        return self._has_deterministic_parts

    @cached_property
    def _has_deterministic_parts(self) -> bool:
        return all(child.is_deterministic() for child in self.children())

    @cached_property
    def _columns(self) -> frozenset[Column]:
        return self._own_columns().union(*(child._columns for child in self.children()))

    def _own_columns(self) -> frozenset[Column]:
        return frozenset()

    @cached_property
    def _leaves(self) -> frozenset[Expression]:
        children = self.children()
        return (
            frozenset[Expression]().union(*(child._leaves for child in children))
            if children
            else frozenset((self,))
        )

    @cached_property
    def _size(self) -> int:
        return 1 + sum(child._size for child in self.children())

    @cached_property
    def _is_of_one_row(self) -> bool:
        return self.needs_one_row and all(child._is_of_one_row for child in self.children())


@cache
def _compared_fields(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.compare)
