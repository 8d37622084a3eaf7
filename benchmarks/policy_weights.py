"""Learns the weights of `reviewdeck.policy.weighing` from the corpora of the tests.

    python -m benchmarks.policy_weights            write core/reviewdeck/policy/weights.bin
    python -m benchmarks.policy_weights --folds 5  how it does on texts that it did not learn from

The same texts give the same weights. A linear support vector machine with squared hinge loss is
fitted by dual coordinate descent (Hsieh et al., A Dual Coordinate Descent Method for Large-scale
Linear SVM, 2008), over features that count the more the more unevenly they are spread over honest
and hostile texts (Wang and Manning, Baselines and Bigrams, 2012). Of a hostile skill nobody said
which sentence does the harm, so the sentences that weigh most in it are learnt from, in rounds.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path

from tests.corpus.every import Text, every_text

from reviewdeck.policy.reading import read
from reviewdeck.policy.weighing import (
    PLACES,
    Said,
    Table,
    Weights,
    margin,
    packed,
    said_of,
    scale,
    share,
    unmarked,
    without_front,
)

TARGET = Path(__file__).parents[1] / "core" / "reviewdeck" / "policy" / "weights.bin"
COST = 0.1
EPOCHS = 10
ROUNDS = 3
SMOOTHED = 0.3
"""Texts that every feature is taken to occur in besides those where it does."""
LEAST = 0.3
"""What a feature counts that is spread evenly."""
CLIPPED = 0.999
"""The share of weights that fit into a byte: the few that are heavier weigh as much as it holds."""


@dataclass(frozen=True, slots=True)
class Example:
    """What is said of one text, and whether it is hostile."""

    said: Said
    is_hostile: bool
    group: str


@dataclass(frozen=True, slots=True)
class SkillExample:
    """A skill as a whole, and its sentences."""

    whole: Example
    parts: tuple[Example, ...]


def learn(examples: Sequence[Example]) -> Weights:
    """The weights that tell these examples apart."""
    hostile = sum(one.is_hostile for one in examples)
    costs = {True: COST * len(examples) / 2 / max(1, hostile)}
    costs[False] = COST * len(examples) / 2 / max(1, len(examples) - hostile)
    counts = _emphasis(examples)
    rows = [_row(one.said, counts) for one in examples]
    signs = [1.0 if one.is_hostile else -1.0 for one in examples]
    slack = [0.5 / costs[one.is_hostile] for one in examples]
    squares = [1.0 + sum(v * v for _, v in row) + d for row, d in zip(rows, slack, strict=True)]
    alphas, weights, bias = [0.0] * len(rows), [0.0] * PLACES, 0.0
    order, chance = list(range(len(rows))), random.Random(7)  # noqa: S311 - an order
    for _ in range(EPOCHS):
        chance.shuffle(order)
        for n in order:
            row, sign = rows[n], signs[n]
            value = bias
            for place, amount in row:
                value += weights[place] * amount
            slope = sign * value - 1.0 + slack[n] * alphas[n]
            new = max(0.0, alphas[n] - slope / squares[n])
            step = (new - alphas[n]) * sign
            if step:
                alphas[n] = new
                bias += step
                for place, amount in row:
                    weights[place] += step * amount
    return _rounded(bias, [weight * counts.get(at, 0.0) for at, weight in enumerate(weights)])


def _emphasis(examples: Sequence[Example]) -> dict[int, float]:
    """By place, how unevenly a feature is spread: the logarithm of how much more often."""
    found: dict[int, float] = {}
    for number in range(len(examples[0].said)):
        seen = {is_hostile: Counter[int]() for is_hostile in (False, True)}
        for one in examples:
            seen[one.is_hostile].update(one.said[number])
        places = seen[False].keys() | seen[True].keys()
        sums = {which: sum(of.values()) + SMOOTHED * len(places) for which, of in seen.items()}
        for place in places:
            honest, hostile = ((seen[which][place] + SMOOTHED) / sums[which] for which in seen)
            found[place] = abs(log(hostile / honest)) + LEAST
    return found


def _row(said: Said, counts: Mapping[int, float]) -> list[tuple[int, float]]:
    found: dict[int, float] = {}
    for kind in said:
        for place in kind:
            found[place] = found.get(place, 0.0) + scale(kind) * counts[place]
    return list(found.items())


def _rounded(bias: float, weights: Sequence[float]) -> Weights:
    there = sorted(abs(weight) for weight in weights if weight)
    unit = there[int(CLIPPED * (len(there) - 1))] / 127 if there else 1.0
    return Weights(bias, unit, [max(-127, min(127, round(weight / unit))) for weight in weights])


def memory_example(text: Text) -> Example:
    """A memory text to learn from."""
    return Example(said_of(read(text.text)), text.is_hostile, text.group)


def skill_example(text: Text) -> SkillExample:
    """A skill to learn from."""
    reading = read(text.text)
    parts = [
        Example(unmarked(said_of(reading, *span)), text.is_hostile, text.group)
        for span in without_front(reading)
    ]
    return SkillExample(
        Example(unmarked(said_of(reading)), text.is_hostile, text.group), tuple(parts)
    )


def learn_sentences(skills: Sequence[SkillExample], memories: Sequence[Example]) -> Weights:
    """Weights of sentences: of a hostile skill, those that seem to make it so."""
    memories = [replace(one, said=unmarked(one.said)) for one in memories]
    found = learn([*memories, *(part for skill in skills for part in skill.parts)])
    for _ in range(ROUNDS):
        chosen = list(memories)
        for skill in skills:
            parts = sorted(skill.parts, key=lambda part: -margin(part.said, found))
            if skill.whole.is_hostile:
                chosen += parts[:1] + [p for p in parts[1:] if margin(p.said, found) > 0.5]
            else:
                chosen += parts
        found = learn(chosen)
    return found


def learn_all(
    memories: Sequence[Example], passing: Sequence[Example], skills: Sequence[SkillExample]
) -> dict[Table, Weights]:
    """All tables. What holds for a day is told from honest texts alone."""
    honest = [one for one in memories if not one.is_hostile]
    return {
        Table.MEMORY: learn(memories),
        Table.PASSING: learn([*honest, *passing]),
        Table.SENTENCE: learn_sentences(skills, memories),
        Table.SKILL: learn([skill.whole for skill in skills]),
    }


def main() -> int:
    """Learns and writes, or learns in folds and tells how it did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=0)
    folds = parser.parse_args().folds
    every = list(every_text())
    texts = [text for text in every if text.is_to_learn_from]
    passing = [text for text in every if text.is_passing and not text.is_kept_apart]
    memories = [text for text in texts if not text.is_skill]
    skills = [text for text in texts if text.is_skill]
    if folds:
        _tell(memories, passing, skills, folds)
        return 0
    learnt = learn_all(
        [*map(memory_example, memories)],
        [*map(memory_example, passing)],
        [*map(skill_example, skills)],
    )
    TARGET.write_bytes(packed(learnt))
    counted = f"{len(memories)} memories, {len(passing)} that pass, {len(skills)} skills"
    sys.stdout.write(f"{counted}: {TARGET.name}\n")
    return 0


def _tell(
    memories: Sequence[Text], passing: Sequence[Text], skills: Sequence[Text], folds: int
) -> None:
    """Per text, what it weighs when it was not learnt from: tab-separated, for a spreadsheet."""
    _tell_memories(memories, folds)
    _tell_memories([*(text for text in memories if not text.is_hostile), *passing], folds)
    _tell_skills(skills, [memory_example(text) for text in memories], folds)


def _tell_memories(memories: Sequence[Text], folds: int) -> None:
    chance = random.Random(3)  # noqa: S311 - an order
    told = [(text, memory_example(text)) for text in memories]
    spread = [chance.randrange(folds) for _ in told]
    for fold in range(folds):
        learnt = learn([e for (_, e), at in zip(told, spread, strict=True) if at != fold])
        for (text, example), at in zip(told, spread, strict=True):
            if at == fold:
                _line(text, margin(example.said, learnt))


def _tell_skills(skills: Sequence[Text], remembered: Sequence[Example], folds: int) -> None:
    chance = random.Random(3)  # noqa: S311 - an order
    made = [(text, skill_example(text)) for text in skills]
    spread = [chance.randrange(folds) for _ in made]
    for fold in range(folds):
        kept = [e for (_, e), at in zip(made, spread, strict=True) if at != fold]
        parts, whole = learn_sentences(kept, remembered), learn([one.whole for one in kept])
        for (text, skill), at in zip(made, spread, strict=True):
            if at == fold:
                worst = max((margin(p.said, parts) for p in skill.parts), default=0.0)
                _line(text, worst + margin(skill.whole.said, whole))


def _line(text: Text, found: float) -> None:
    said = text.text.replace("\n", " ").replace("\t", " ")[:80]
    kind = "skill" if text.is_skill else "memory"
    sys.stdout.write(
        f"{found:.2f}\t{share(found)}\t{kind}\t{text.group}\t{text.label}\t{text.number}\t{said}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
