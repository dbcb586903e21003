"""Vectors kept between the tasks of one run, so that tasks with the same sentences encode them
once.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

from harness_ext.common.arrays import Vectors
from harness_ext.common.usable_memory import usable_memory
from harness_ext.encoders.batches import check_dimensions

Item = TypeVar("Item", bound="Hashable")

_LEAST_BYTES = 2**30
"""Of vectors that are remembered, however little memory there is."""

_SHARE = 1 / 8
"""Of the memory that this process may use."""


class _Table:
    """The vectors under one key.

    Attributes:
        rows: Item -> its row; the item that was asked for longest ago is first.
        vectors: Shape (n, d).
    """

    def __init__(
        self,
        items: list[Any],
        vectors: Vectors,
    ) -> None:
        self.rows = {item: row for row, item in enumerate(items)}
        self.vectors = vectors

    def add(
        self,
        model: object,
        items: list[Any],
        vectors: Vectors,
    ) -> None:
        """Add new items; EncodingError if their vectors have another dimension."""
        check_dimensions(model, self.vectors, vectors)
        self.vectors = np.concatenate([self.vectors, vectors])
        for item in items:
            self.rows[item] = len(self.rows)

    def asked(self, items: list[Any]) -> Vectors:
        """The vectors of items, which are now those asked for last; nobody may write into them."""
        rows = []
        for item in items:
            row = self.rows.pop(item)
            self.rows[item] = row
            rows.append(row)
        are_all = rows == [*range(len(self.vectors))]
        vectors = self.vectors[:] if are_all else self.vectors[rows]  # all: no copy
        vectors.flags.writeable = False
        return vectors

    def drop(self, n_bytes: int) -> None:
        """Forget so many bytes or a row more: the items that were asked for longest ago."""
        n_dropped = -(-n_bytes * len(self.rows) // self.vectors.nbytes)  # rounded up
        items = list(self.rows)[n_dropped:]
        kept = [self.rows[item] for item in items]
        self.vectors = self.vectors[kept]
        self.rows = {item: row for row, item in enumerate(items)}


class VectorMemory:
    """The vectors that the model in use has computed, by key and item.

    Only the model used last is remembered, and only as long as it lives. Above `max_bytes`, the
    vectors asked for longest ago are forgotten: those under the key used longest ago first.
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        """Remember nothing yet; by default up to an eighth of the memory that the process may use,
        and at least 1 GiB.
        """
        self._max_bytes = max_bytes
        self._model: Callable[[], object] = lambda: None
        self._tables: OrderedDict[Hashable, _Table] = OrderedDict()

    def vectors(
        self,
        model: object,
        key: Hashable,
        items: list[Item],
        compute: Callable[[list[Item]], Vectors],
    ) -> Vectors:
        """Return one vector per distinct item, shape (n, d); compute those that are not in memory,
        in one call.

        The key says all that the vector of an item depends on besides the model and the item.

        Raises:
            EncodingError: The vectors of an earlier call have another dimension; names the model.
        """
        if self._model() is not model:
            self.forget()
            try:
                self._model = weakref.ref(model, lambda _: self.forget())
            except TypeError:  # a model without weak references: its end would not be noticed
                return compute(items)
        table = self._tables.pop(key, None)
        new = [item for item in items if table is None or item not in table.rows]
        if table is None:
            if not items:
                return compute(items)
            table = _Table(new, compute(new))
        elif new:
            table.add(model, new, compute(new))
        self._tables[key] = table
        vectors = table.asked(items)
        self._shrink()
        return vectors

    def _shrink(self) -> None:
        """Forget what is too much."""
        if self._max_bytes is None:
            self._max_bytes = max(_LEAST_BYTES, round(_SHARE * usable_memory()))
        for key, table in [*self._tables.items()]:
            n_bytes = sum(other.vectors.nbytes for other in self._tables.values())
            too_much = n_bytes - self._max_bytes
            if too_much <= 0:
                return
            if too_much < table.vectors.nbytes:
                table.drop(too_much)
            else:
                del self._tables[key]

    def forget(self) -> None:
        """Forget all vectors."""
        self._tables.clear()


MEMORY = VectorMemory()  # shared by all tasks of this process
