"""Similarity: the live, pending, removed and rejected texts that resemble a proposal.

A removed text must not come back unseen.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from rapidfuzz import fuzz

from reviewdeck.model import (
    DocumentWrite,
    Edit,
    EntryEdit,
    Likeness,
    MemoryAdd,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Relation,
    Restore,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.model.ledger import ANY_DOMAIN, Subject
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.ports import Snapshot
from reviewdeck.text.entries import parse
from reviewdeck.text.similarity import (
    Match,
    MatchKind,
    content_words,
    find_similar,
    normalise,
    percent_alike,
    rare_words,
    shared_words,
)

FULL_SCAN = 300
"""Up to this many texts are compared one by one; beyond, an index of words narrows them down."""

LOOKED_UP = 6
"""The number of a text's rarest words that are looked up in an index."""

COMMON = 200
"""A word that occurs in more texts is not looked up, as long as there are rarer ones."""

AT_LEAST = 3
"""The least number of words that are looked up, however common they are."""

MOST = 20
"""The most similar texts of one relation that are reported."""

ALONE = 32
"""Up to this many texts are found by one shared word; beyond, two words must be shared."""


CROWD = 200
"""The most texts compared with one: those that share most of its rarest words."""


_MANY = 5
_OF_THESE = 8
"""A word tells nothing where it stands in five texts and in one of eight."""
_CLOSE = 80.0
"""From so many per cent on two texts are alike, whatever words they share."""


_FORM = 75.0
"""The least ratio of equal letters from which one file counts as a form of another."""
_COMPARED = 4_000
"""The characters of a file that are compared for that."""
_POINTS = re.compile(r"(?<![\w/.-])((?:references|templates|assets|scripts)/[\w./-]{0,200}\w)")


def subjects_of(proposal: Proposal, relation: Relation = Relation.PENDING) -> list[Subject]:
    """The texts that a proposal adds."""
    texts = (_added_subject(edit) for edit in proposal.edits)
    return [Subject(relation, text, proposal.id, domain) for domain, text in texts if text]


def digests_of(proposal: Proposal) -> dict[str, str]:
    """The texts that a proposal adds, by the digest under which a home notes a rejected one.

    Case, white space and punctuation make no difference.
    """
    return {_digest(subject): subject.text for subject in subjects_of(proposal)}


def _digest(subject: Subject) -> str:
    text = normalise(subject.text) or subject.text
    return hashlib.sha256(f"{subject.domain}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def indexed_of(proposal: Proposal) -> list[Subject]:
    """The index entries of a proposal: its texts, the files it writes and those it points to.

    None for a change outside review, which is found among the live texts.
    """
    if proposal.outside:
        return []
    places = (place for edit in proposal.edits for place in _index_entries(edit))
    subjects = [Subject(Relation.PENDING, text, proposal.id, domain) for domain, text in places]
    return [*subjects_of(proposal), *subjects]


def _index_entries(edit: Edit) -> Iterator[tuple[str, str]]:
    match edit:
        case SkillWriteFile(name, file):
            yield files_of(name), file
        case SkillCreate(name, text) if pointed := pointers(text):
            yield pointers_of(name), " ".join(pointed)
        case _:
            return


def files_of(skill: str) -> str:
    """The domain of files proposed for a skill."""
    return f"{skill}/files"


def pointers_of(skill: str) -> str:
    """The domain of files that a proposed skill points to."""
    return f"{skill}/points"


def pointers(text: str) -> tuple[str, ...]:
    """The files of its skill that a SKILL.md points to."""
    return tuple(dict.fromkeys(_POINTS.findall(text)))


def _added_subject(edit: Edit) -> tuple[str, str]:
    match edit:
        case MemoryAdd() | MemoryReplace() | MemoryPatch():
            return "memory", edit.content.strip()
        case SkillCreate():
            return "skill", describe_skill(edit.name, edit.content)
        case SkillWriteFile():
            return "file", edit.content.strip()
        case SkillPatch():
            return f"{edit.name}/{edit.file}", edit.new_string.strip()
        case SkillEdit():
            return f"{edit.name}/SKILL.md", edit.content.strip()
        case DocumentWrite():
            return "document", edit.added.strip()[:LONGEST]
        case MemoryRemove() | SkillRemoveFile() | SkillDelete() | Restore():
            return "", ""


def describe_skill(name: str, text: str) -> str:
    """A skill's name and description, which make an agent load it."""
    front = parse_front(text)
    described = front.fields.get("description", "") if front else ""
    return f"{name.replace('-', ' ')}: {described}".strip()


def is_live_text(path: str, snapshot: Snapshot) -> bool:
    """Whether a document is compared with proposals: memories, and the heads of skills."""
    return snapshot.has_entries(path) or path.endswith("/SKILL.md")


def live_subjects(paths: Iterable[str], snapshot: Snapshot) -> list[Subject]:
    """The live texts of these documents: memory entries, and skills by name and description."""
    subjects: list[Subject] = []
    for path in paths:
        document = snapshot.document(path)
        if is_live_text(path, snapshot) and document.problem is None:
            subjects += live_texts(path, document.data, snapshot)
    return subjects


def live_texts(path: str, data: bytes | None, snapshot: Snapshot) -> list[Subject]:
    """The texts of one revision of a document."""
    if data is None:
        return []
    text = data.decode("utf-8", errors="replace")
    if snapshot.has_entries(path):
        return [Subject(Relation.LIVE, entry, path, "memory") for entry in parse(text)]
    description = describe_skill(path.split("/")[-2], text)
    return [Subject(Relation.LIVE, description, path, "skill")]


def is_support_file(path: str) -> bool:
    """Whether a document is a text beside the SKILL.md of a skill."""
    return path.startswith("skills/") and path.endswith(".md") and not path.endswith("/SKILL.md")


def live_files(paths: Iterable[str], snapshot: Snapshot) -> list[Subject]:
    """The live texts that files of skills are compared with."""
    documents = ((path, snapshot.document(path)) for path in paths if is_support_file(path))
    return [
        Subject(Relation.LIVE, document.text.strip(), path, "file")
        for path, document in documents
        if document.data and document.problem is None
    ]


def compare(proposal: Proposal, places: Sequence[TextIndex]) -> tuple[Likeness, ...]:
    """The similar texts of a proposal, the nearest first.

    At most `MOST` of each relation.
    """
    aims = _replaced_by(proposal)
    similar: dict[tuple[str, str], Likeness] = {}
    for own in subjects_of(proposal):
        candidates = [
            candidate
            for place in places
            for candidate in place.near(own.text, (own.domain, ANY_DOMAIN))
            if candidate.where != proposal.id
            and not _is_replaced(candidate, aims)
            and (not _is_file(candidate) or _is_form_of(own, candidate))
        ]
        matches = find_similar(
            own.text, [candidate.text for candidate in candidates], reasons=False
        )
        counts: Counter[Relation] = Counter()
        near = [_likeness(own.text, candidates[match.index], match) for match in matches]
        for likeness in sorted(_telling(own.text, near, candidates), key=_rank):
            counts[likeness.relation] += 1
            if counts[likeness.relation] <= MOST:
                similar.setdefault((likeness.where, likeness.text), likeness)
    return tuple(sorted(similar.values(), key=_rank))


def _telling(
    own: str, near: Sequence[Likeness], candidates: Sequence[Subject]
) -> Iterator[Likeness]:
    """The similar texts without those that share only words which stand in many texts here."""
    if not near:  # nearly always
        return
    counts = Counter(chain.from_iterable(content_words(each.text) for each in candidates))
    many = max(_MANY, len(candidates) // _OF_THESE)
    for likeness in near:
        shared = content_words(own) & content_words(likeness.text)
        if likeness.score >= _CLOSE or not shared or any(counts[word] < many for word in shared):
            yield likeness


def live_among(proposal: Proposal, paths: Iterable[str], snapshot: Snapshot) -> frozenset[str]:
    """The texts of a proposal that stand in these documents already."""
    live = {normalise(subject.text) for subject in live_subjects(paths, snapshot)}
    texts = (subject.text for subject in subjects_of(proposal))
    return frozenset(text for text in texts if normalise(text) in live)


def _is_file(subject: Subject) -> bool:
    """Whether it is the text of a live or removed file."""
    was_live = subject.relation in {Relation.LIVE, Relation.REMOVED}
    return was_live and is_support_file(subject.where)


def _is_form_of(own: Subject, file: Subject) -> bool:
    """Whether a text is a form of a file: a long file shares words with many short texts."""
    if own.domain != "file":
        return False
    text, file_text = _normalised_file(own.text), _normalised_file(file.text)
    return fuzz.ratio(text, file_text, score_cutoff=_FORM) > 0


@lru_cache(maxsize=2_048)
def _normalised_file(text: str) -> str:
    """The compared part of a file, cached: each one is compared with many."""
    return normalise(text[:_COMPARED])


def _likeness(own: str, subject: Subject, match: Match) -> Likeness:
    if match.kind is not MatchKind.SAME_SUBJECT:
        return Likeness(subject.relation, subject.text, 100.0, subject.where, exact=True)
    percent = min(99.0, percent_alike(own, subject.text))
    shared = shared_words(own, subject.text)
    return Likeness(subject.relation, subject.text, percent, subject.where, shared=shared)


def _rank(likeness: Likeness) -> tuple[float, str, str, str]:
    return -likeness.score, likeness.relation, likeness.where, likeness.text


def words_to_find(text: str, counts: Mapping[str, int]) -> tuple[tuple[str, ...], int]:
    """The rarest words of a text, and how many of them may match another text alone.

    A text that shares only commoner words has to share two of them. Very common words
    are left out: every text shares them.
    """
    words = rare_words(text, counts, LOOKED_UP)
    rare = sum(counts[word] <= COMMON for word in words)
    words = words[: max(rare, AT_LEAST)]
    matches, alone = 0, 0
    for word in words:
        matches += counts[word]
        if alone and matches > ALONE:
            break
        alone += 1
    return words, alone


class TextIndex:
    """Texts by domain and, once there are many, by word."""

    def __init__(self, subjects: Iterable[Subject]) -> None:
        self._domains: dict[str, _Domain] = defaultdict(_Domain)
        for subject in subjects:
            self._domains[subject.domain].add(subject)

    def near(self, text: str, domains: Sequence[str]) -> Sequence[Subject]:
        """The texts of these domains that may be similar; of all domains for none."""
        chosen = [self._domains[name] for name in domains or self._domains if name in self._domains]
        if len(chosen) == 1:
            return chosen[0].near(text)
        return [subject for domain in chosen for subject in domain.near(text)]


class _Domain:
    """The texts of one domain."""

    def __init__(self) -> None:
        self._subjects: list[Subject] = []
        self._places: _Places | None = None

    def add(self, subject: Subject) -> None:
        self._subjects.append(subject)
        self._places = None

    def near(self, text: str) -> Sequence[Subject]:
        """All texts while they are few; else those that share rare words with this one."""
        if len(self._subjects) <= FULL_SCAN:
            return self._subjects
        places = self._index()
        words, alone = words_to_find(text, places)
        shared = Counter(chain.from_iterable(places.of(word) for word in words))
        indexes = set().union(*(places.of(word) for word in words[:alone]))
        indexes.update(index for index, amount in shared.items() if amount > 1)
        if len(indexes) <= CROWD:
            return [self._subjects[index] for index in sorted(indexes)]
        # Sorted, so that the result does not depend on the order of insertion.
        subjects = ((shared[index], self._subjects[index]) for index in indexes)
        nearest = sorted(subjects, key=lambda scored: (-scored[0], scored[1].where, scored[1].text))
        return [subject for _, subject in nearest[:CROWD]]

    def _index(self) -> _Places:
        if self._places is None:
            self._places = _Places()
            for index, subject in enumerate(self._subjects):
                for word in set(normalise(subject.text).split()):
                    self._places.add(word, index)
        return self._places


class _Places(Mapping[str, int]):
    """An inverted index: by word, the texts in which it occurs.

    Most words occur in one text: a plain number takes half the memory of a list of one.
    """

    def __init__(self) -> None:
        self._places: dict[str, int | array[int]] = {}

    def add(self, word: str, place: int) -> None:
        """Adds a text in which the word occurs."""
        places = self._places.setdefault(word, place)
        if isinstance(places, array):
            places.append(place)
        elif places != place:
            self._places[word] = array("I", (places, place))

    def of(self, word: str) -> Sequence[int]:
        """The texts in which the word occurs."""
        places = self._places[word]
        return (places,) if isinstance(places, int) else places

    def __getitem__(self, word: str) -> int:
        places = self._places[word]
        return 1 if isinstance(places, int) else len(places)

    def get(self, word: str, default: int = 0) -> int:  # type: ignore[override]  # half are not there
        places = self._places.get(word)
        if places is None:
            return default
        return 1 if isinstance(places, int) else len(places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@dataclass(frozen=True, slots=True)
class _Replaced:
    """The texts and files that a proposal replaces."""

    texts: tuple[str, ...]
    files: tuple[str, ...]
    """As their paths end."""


def _replaced_by(proposal: Proposal) -> _Replaced:
    texts = (e.old_text for e in proposal.edits if isinstance(e, EntryEdit))
    files = (f"/{e.name}/{e.file}" for e in proposal.edits if isinstance(e, SkillWriteFile))
    return _Replaced(tuple(stripped for text in texts if (stripped := text.strip())), tuple(files))


def _is_replaced(subject: Subject, aims: _Replaced) -> bool:
    """Whether the proposal replaces this text, which resembles it by nature."""
    if subject.relation is not Relation.LIVE:
        return False
    return subject.where.endswith(aims.files) or any(aim in subject.text for aim in aims.texts)


LONGEST = 20_000
"""The stored characters of a file: a longer one is never applied automatically."""


def removed(path: str, then: bytes | None, now: bytes | None, *, is_memory: bool) -> list[Likeness]:
    """The texts removed from a document: entries, a skill, a file of one."""
    before, after = _decode(then), _decode(now)
    if is_memory:
        remaining = frozenset(parse(after))
        removed_texts = [entry for entry in parse(before) if entry not in remaining]
    elif path.endswith("/SKILL.md"):
        removed_texts = _lost_text(_describe(path, before), _describe(path, after))
    elif is_support_file(path):
        removed_texts = _lost_text(before.strip()[:LONGEST], after.strip()[:LONGEST])
    else:
        removed_texts = []
    return [Likeness(Relation.REMOVED, text, 100.0, path, exact=True) for text in removed_texts]


def _lost_text(before: str, after: str) -> list[str]:
    """The earlier text, unless the later one is a form of it."""
    return [before] if before and not find_similar(before, [after], reasons=False) else []


def _describe(path: str, text: str) -> str:
    return describe_skill(path.split("/")[-2], text) if text else ""


def _decode(data: bytes | None) -> str:
    return data.decode("utf-8", errors="replace") if data else ""
