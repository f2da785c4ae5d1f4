"""Manifests: there and back, and one clear error for anything that is damaged."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from tests.unit.store.samples import manifest

from predtrace.errors import StoreProblem
from predtrace.store.manifest import Manifest, _checksum

WHOLE = manifest().to_bytes()


def read(content: bytes) -> Manifest:
    return Manifest.from_bytes(content, "here")


def test_there_and_back() -> None:
    found = read(WHOLE)
    assert found == manifest()
    assert found.to_bytes() == WHOLE


def test_truncated_anywhere() -> None:
    for length in (*random.Random(0).sample(range(len(WHOLE)), 300), len(WHOLE) - 1):
        with pytest.raises(StoreProblem, match="no JSON"):
            read(WHOLE[:length])


def test_a_changed_byte_is_noticed_or_changes_nothing() -> None:
    chance = random.Random(0)
    for _ in range(1000):
        place, bit = chance.randrange(len(WHOLE)), 1 << chance.randrange(8)
        damaged = bytearray(WHOLE)
        damaged[place] ^= bit
        try:
            found = read(bytes(damaged))
        except StoreProblem:
            continue
        assert found == manifest()  # white space


def values(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: the list or object, and the key."""
    keys = list(document) if isinstance(document, dict) else range(len(document))
    for key in keys:
        yield document, key
        if isinstance(document[key], (dict, list)):
            yield from values(document[key])


def rewritten(document: dict[str, Any]) -> bytes:
    """With a checksum that is right: somebody changed it on purpose."""
    head = {"predtrace_run": document.pop("predtrace_run", None)}
    document.pop("checksum", None)
    return json.dumps({**head, "checksum": _checksum(document), **document}).encode()


def test_every_field_is_needed() -> None:
    count = sum(isinstance(parent, dict) for parent, _ in values(json.loads(WHOLE)))
    for number in random.Random(0).sample(range(count), 100):
        document = json.loads(WHOLE)
        parent, key = [found for found in values(document) if isinstance(found[0], dict)][number]
        if key == "checksum":
            continue
        del parent[key]
        with pytest.raises(StoreProblem):
            read(rewritten(document))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"predtrace_run": 4}',
        b'{"predtrace_run": true}',
        json.dumps({"predtrace_run": 4, "checksum": 7, "plan": float("inf")}).encode(),
    ],
)
def test_what_is_no_manifest(content: bytes) -> None:
    with pytest.raises(StoreProblem):
        read(content)


def test_a_newer_format_says_what_to_do() -> None:
    newer = WHOLE.replace(b'"predtrace_run": 5', b'"predtrace_run": 6')
    with pytest.raises(
        StoreProblem, match=r"saved in format 6, and this version knows 5 only.*use the version"
    ):
        read(newer)


def test_no_class_outside_the_model_is_made() -> None:
    document = json.loads(WHOLE)
    document["operators"] = {"is": "Popen", "args": ["true"]}
    with pytest.raises(StoreProblem, match="'Popen' is no part of the operator model"):
        read(rewritten(document))
