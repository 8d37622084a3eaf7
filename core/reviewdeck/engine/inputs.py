"""Which evaluations a change of the inputs that those of a home share concerns.

A pass stores the inputs that it evaluated against. The next one compares them with the home as it
is, and looks only at the proposals that depend on what differs. Where that cannot be told, it looks
at all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from reviewdeck.engine.evaluate import Evaluator
from reviewdeck.engine.evaluation import DIGITS, EvaluationKey, Inputs
from reviewdeck.engine.similarity import (
    COMMON,
    digests_of,
    indexed_of,
    is_live_text,
    is_support_file,
    live_texts,
    telling_below,
)
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import ABSENT, Proposal, Relation, Revision
from reviewdeck.model.ledger import Found, RefreshStart
from reviewdeck.text.terms import terms_of, whole
from reviewdeck.values import dataclass

_MOST = 200
"""With more changed texts than this, looking for what has their terms is no less work."""


@dataclass(frozen=True, slots=True)
class Concerned:
    """The proposals whose key may differ from the one of their last evaluation."""

    evaluated: Collection[str]
    """Those that have to be compared and judged again."""
    planned: Collection[str] = ()
    """The others, of which a document changed and nothing else."""


@dataclass(frozen=True, slots=True)
class Past:
    """What is stored of the last pass, and of what came and went since."""

    inputs: Inputs
    queue: _QueueChange | None
    """None for too many, or where a proposal is not stored any more."""
    documents: Mapping[str, tuple[str, str]]
    """Those of the home as they are now; see `Inputs`."""
    live: tuple[str, ...] | None
    """The live texts that came or went; None where the earlier ones are not known."""

    @classmethod
    def read(
        cls,
        evaluator: Evaluator,
        ledger: Ledger,
        begun: RefreshStart,
        keys: Mapping[str, EvaluationKey | None],
        seen: Callable[[Sequence[str]], Mapping[str, Proposal]],
    ) -> Past | None:
        """None where the inputs of the last pass are not known. `seen` reads what waits."""
        inputs = Inputs.from_text(ledger.inputs(begun.home) or "")
        if inputs is None:
            return None
        documents = evaluator.documents(keys)
        live = _live_change(evaluator, inputs, _differing(inputs.documents, documents))
        return cls(inputs, _queue_change(ledger, begun, seen), documents, live)


def concerned(
    evaluator: Evaluator,
    ledger: Ledger,
    begun: RefreshStart,
    keys: Mapping[str, EvaluationKey | None],
    past: Past | None,
) -> Concerned:
    """The proposals that a difference of the home or of the queue concerns."""
    if past is None:
        return Concerned(keys.keys())
    before, queue, live = past.inputs, past.queue, past.live
    ledger.foresee(_questions_then(evaluator, ledger, begun.home, past))
    now = evaluator.inputs(keys, past.documents)
    paths = _differing(before.documents, now.documents)
    if before.shared != now.shared:
        return Concerned(keys.keys())
    if queue is None or live is None or not before.rejected ^ now.rejected <= queue.digests:
        return Concerned(keys.keys())
    found = set(evaluator.heard_anew(keys)) | {
        id
        for id, key in keys.items()
        if key is None
        or key.rules != evaluator.rules
        or (key.own and (queue.texts or live or before != now))
        or any(before.skills.get(name) != now.skills[name] for name in key.skills)
        or (key.home_texts and before.home_texts != now.home_texts)
        or before.answers.get(id) != now.answers.get(id)
    }
    if queue.texts or live or before != now:
        found |= ledger.made_here(begun.home)
    if queue.has_files or any(map(is_support_file, paths)) or _skills(before) != _skills(now):
        found |= ledger.about_skills(begun.home)
    found |= _found_by_changed(evaluator, ledger, begun, queue.texts, live)
    touching = {id for id, key in keys.items() if key and not paths.isdisjoint(key.documents)}
    return Concerned(found, touching - found)


def questions(
    ledger: Ledger, home: str, departed: Collection[str]
) -> Iterator[Callable[[], object]]:
    """What finding them asks the ledger, as far as it is known before.

    `departed` are the proposals that left the queue.
    """
    asked = (ledger.inputs, ledger.undone, ledger.deferrals, ledger.subject_count, ledger.made_here)
    yield from (partial(ask, home) for ask in asked)
    if len(departed) <= _MOST:
        yield partial(ledger.without_bases, departed)


def _questions_then(
    evaluator: Evaluator, ledger: Ledger, home: str, past: Past
) -> Iterator[Callable[[], object]]:
    """What is asked once the index has the texts that came."""
    yield lambda: evaluator.amount
    yield from (partial(ask, home) for ask in (ledger.undone, ledger.deferrals, ledger.made_here))
    if past.queue is not None and past.live is not None:
        terms = _moved_terms(past.queue.texts, past.live)
        if terms:
            yield partial(_near, ledger, home, terms)


@dataclass(frozen=True, slots=True)
class _QueueChange:
    """What came into the index of texts since the last pass, or left it."""

    texts: tuple[str, ...]
    has_files: bool
    """Whether a text for a file of a skill is among them."""
    digests: frozenset[str]
    """The digests under which a home notes these texts when they are rejected."""


def _queue_change(
    ledger: Ledger, begun: RefreshStart, seen: Callable[[Sequence[str]], Mapping[str, Proposal]]
) -> _QueueChange | None:
    """None for too many, or where a proposal is not stored any more."""
    moved = begun.arrived | begun.departed
    if len(moved) + len(begun.texts) > _MOST:
        return None
    arrived, departed = seen(sorted(begun.arrived)), ledger.without_bases(begun.departed)
    proposals = [*arrived.values(), *departed.values()]
    if len(proposals) < len(moved):
        return None
    subjects = [subject for proposal in proposals for subject in indexed_of(proposal)]
    return _QueueChange(
        (*begun.texts, *(subject.text for subject in subjects)),
        any("/" in subject.domain for subject in subjects),
        frozenset(digest[:DIGITS] for proposal in proposals for digest in digests_of(proposal)),
    )


def _live_change(
    evaluator: Evaluator, before: Inputs, paths: Collection[str]
) -> tuple[str, ...] | None:
    """The live texts that came or went; None where the earlier ones are not known."""
    texts: list[str] = []
    for path in paths:
        if not is_live_text(path, evaluator.snapshot):
            continue
        document = evaluator.snapshot.document(path)
        revision, rest = before.documents.get(path, (ABSENT, ""))
        then = evaluator.content(Revision(revision))
        is_known = then is not None or revision == ABSENT
        if (
            not is_known
            or document.problem is not None
            or rest not in ("", evaluator.rest_of(path))
        ):
            return None
        was, now = (
            Counter(subject.text for subject in live_texts(path, data, evaluator.snapshot))
            for data in (then, document.data)
        )
        texts += [*(was - now).elements(), *(now - was).elements()]
    return tuple(texts) if len(texts) <= _MOST else None


def _found_by_changed(
    evaluator: Evaluator,
    ledger: Ledger,
    begun: RefreshStart,
    stored: Collection[str],
    live: Collection[str],
) -> set[str]:
    """The proposals with a term of changed texts by which texts are found, or that came to tell
    more or less.
    """
    moved = [Counter(term for text in texts for term in terms_of(text)) for texts in (stored, live)]
    both = moved[0] + moved[1]
    if not both:
        return set()
    near = _near(ledger, begun.home, both)
    in_ledger = {term: found.count for term, found in near.postings.items()}
    in_home = {term: found.count for term, found in evaluator.live_postings(both).items()}
    limit = telling_below(evaluator.amount)
    wholes = set(map(whole, (*stored, *live)))

    def is_relevant(term: str) -> bool:
        count = in_ledger.get(term, 0), in_home.get(term, 0)
        finds = any(by[term] and n - by[term] <= COMMON for by, n in zip(moved, count, strict=True))
        return finds or term in wholes or abs(sum(count) - limit) <= both[term]

    relevant = set(filter(is_relevant, both))
    known = [found for term, found in near.postings.items() if term in relevant]
    numbers = {number for found in known for number in found.texts}
    subjects = [near.subjects[number] for number in numbers if number in near.subjects]
    # Of a term of so many texts the places were not read.
    rest = {term for term in relevant if in_ledger.get(term, 0) > COMMON + max(both.values())}
    found = {subject.where for subject in subjects if subject.relation is Relation.PENDING}
    return found | (ledger.having(begun.home, rest) if rest else frozenset())


def _moved_terms(*changed: Collection[str]) -> Counter[str]:
    return sum(
        (Counter(term for text in texts for term in terms_of(text)) for texts in changed), Counter()
    )


def _near(ledger: Ledger, home: str, terms: Counter[str]) -> Found:
    """The texts that have one of these terms."""
    return ledger.texts_with(home, terms, COMMON + max(terms.values()))


def _differing(before: Mapping[str, object], now: Mapping[str, object]) -> set[str]:
    names = before.keys() | now.keys()
    return {name for name in names if before.get(name) != now.get(name)}


def _skills(inputs: Inputs) -> frozenset[str]:
    documents = inputs.documents.items()
    return frozenset(
        path for path, (is_at, _) in documents if path.endswith("/SKILL.md") and is_at != ABSENT
    )
