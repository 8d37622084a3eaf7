"""Unified diffs as an extraction writes them, and as it should not."""

from __future__ import annotations

import pytest
from tests.steps import LINEAR, Work, growth

from reviewdeck.homes.gemini.patches import FilePatch, parse_patch


def one(*hunks: str, old: str = "/a") -> FilePatch:
    (found,) = parse_patch("\n".join((f"--- {old}", "+++ /a", *hunks, "")))
    return found


@pytest.mark.parametrize(
    ("hunks", "before", "after"),
    [
        # It says where it stands; where that is wrong, it stands nearest.
        (("@@ -3,1 +3,1 @@", "-x", "+y"), "x\nx\nx\n", "x\nx\ny\n"),
        (("@@ -9,1 +9,1 @@", "-x", "+y"), "x\nx\nx\n", "x\nx\ny\n"),
        # The lines before it grew by a hunk before.
        (
            ("@@ -1,1 +1,2 @@", " a", "+b", "@@ -3,1 +4,1 @@", "-x", "+y"),
            "a\nx\nx\n",
            "a\nb\nx\ny\n",
        ),
        # The lines that two hunks show are two.
        (("@@ -1,1 +1,1 @@", "-x", "+y", "@@ -1,1 +1,1 @@", "-x", "+z"), "x\nx\n", "y\nz\n"),
        (("@@ -1,1 +1,1 @@", "-x", "+y", "@@ -1,1 +1,1 @@", "-x", "+z"), "x\n", None),
        # Without a line before it, it stands after the one that it names.
        (("@@ -1,0 +2,1 @@", "+n"), "a\nb\n", "a\nn\nb\n"),
        (("@@ -0,0 +1,1 @@", "+n"), "", "n\n"),
        (("@@ -8,0 +9,1 @@", "+n"), "a\n", None),
        (("@@ -1,1 +1,2 @@", " a", "+n"), "a", "a\nn"),
        (("@@ -1,1 +1,1 @@", "-x", "+y"), "a\n", None),
    ],
)
def test_a_patch_is_applied_where_its_lines_stand(
    hunks: tuple[str, ...], before: str, after: str | None
) -> None:
    assert one(*hunks).apply(before) == after


def repeated(size: int) -> Work:
    patch = one(*["@@ -1,1 +1,2 @@\n a\n+b"] * size)
    return lambda: patch.apply("a\n" * 2 * size)


def backwards(size: int) -> Work:
    patch = one(*[f"@@ -{size - at},1 +1,1 @@\n-{at}\n+b" for at in range(size)])
    return lambda: patch.apply("".join(f"{at}\n" for at in range(size)))


def long(size: int) -> Work:
    patch = one(f"@@ -1,{size} +1,{size + 1} @@", *[" a"] * (size - 1), " b", "+c")
    return lambda: patch.apply("a\n" * 2 * size)


def new(size: int) -> Work:
    patch = one(f"@@ -0,0 +1,{size} @@", *[f"+x{at}" for at in range(size)], old="/dev/null")
    return lambda: patch.added_to("".join(f"a{at}\n" for at in range(size)))


@pytest.mark.parametrize("prepare", [repeated, backwards, long, new])
def test_a_patch_with_very_many_hunks_or_lines_is_linear_work(prepare: object) -> None:
    assert callable(prepare)
    assert growth(prepare, 1_000) < LINEAR
