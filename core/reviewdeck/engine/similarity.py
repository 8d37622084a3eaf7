"""What a proposal is similar to: live entries, open proposals, what was removed or rejected.

What was removed from a home must not come back unseen.
"""

from __future__ import annotations

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
    Likeness,
    MemoryAdd,
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
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.ports import ANY_DOMAIN, Snapshot, Subject
from reviewdeck.text.entries import parse
from reviewdeck.text.similarity import Kinship, Match, alike, normalise, rare_words

FULL_SCAN = 300
"""Up to this many texts are compared one by one; beyond, an index of words narrows them down."""

LOOKED_UP = 6
"""How many of a text's rarest words are looked up in an index."""

COMMON = 200
"""A word that occurs in more texts than this finds nothing, as long as there are rarer ones."""

AT_LEAST = 3
"""So many words are looked up, however common they are."""

MOST = 20
"""So many texts of one kind are told of; who is like more of them is held as well."""

ALONE = 32
"""So many texts may be found by one word alone; beyond, two words have to be the same."""


CROWD = 200
"""So many texts at most are compared with one: those that share most of its rarest words."""


_FORM = 75.0
"""From this share of the same letters in the same order on, one file is a form of another."""
_COMPARED = 4_000
"""Characters of a file that are looked at for that."""
_POINTS = re.compile(r"(?<![\w/.-])((?:references|templates|assets|scripts)/[\w./-]{0,200}\w)")


def subjects_of(proposal: Proposal, relation: Relation = Relation.PENDING) -> list[Subject]:
    """The texts that a proposal wants to bring in."""
    found = (_said(edit) for edit in proposal.edits)
    return [Subject(relation, text, proposal.id, domain) for domain, text in found if text]


def indexed_of(proposal: Proposal) -> list[Subject]:
    """What the others find of it: its texts, the files that it writes and those it points to.

    What is live already is found there.
    """
    if proposal.outside:
        return []
    places = (place for edit in proposal.edits for place in _places(edit))
    said = [Subject(Relation.PENDING, text, proposal.id, domain) for domain, text in places]
    return [*subjects_of(proposal), *said]


def _places(edit: Edit) -> Iterator[tuple[str, str]]:
    match edit:
        case SkillWriteFile(name, file):
            yield files_of(name), file
        case SkillCreate(name, text) if pointed := pointers(text):
            yield pointers_of(name), " ".join(pointed)
        case _:
            return


def files_of(skill: str) -> str:
    """The domain of the files that somebody wants to write into a skill."""
    return f"{skill}/files"


def pointers_of(skill: str) -> str:
    """The domain of the files that a skill to come points to."""
    return f"{skill}/points"


def pointers(text: str) -> tuple[str, ...]:
    """The files of its skill that a SKILL.md points to."""
    return tuple(dict.fromkeys(_POINTS.findall(text)))


def _said(edit: Edit) -> tuple[str, str]:
    match edit:
        case MemoryAdd() | MemoryReplace():
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
    """What a skill is about, in the words that make an agent load it."""
    front = parse_front(text)
    described = front.fields.get("description", "") if front else ""
    return f"{name.replace('-', ' ')}: {described}".strip()


def is_live_text(path: str, snapshot: Snapshot) -> bool:
    """Whether a document is compared with proposals: memories, and the heads of skills."""
    return snapshot.has_entries(path) or path.endswith("/SKILL.md")


def live_subjects(paths: Iterable[str], snapshot: Snapshot) -> list[Subject]:
    """What is live in these documents: memory entries, and skills by name and description."""
    found: list[Subject] = []
    for path in paths:
        document = snapshot.document(path)
        if is_live_text(path, snapshot) and document.problem is None:
            found += live_texts(path, document.data, snapshot)
    return found


def live_texts(path: str, data: bytes | None, snapshot: Snapshot) -> list[Subject]:
    """The texts of one document as it is or was."""
    if data is None:
        return []
    text = data.decode("utf-8", errors="replace")
    if snapshot.has_entries(path):
        return [Subject(Relation.LIVE, entry, path, "memory") for entry in parse(text)]
    said = describe_skill(path.split("/")[-2], text)
    return [Subject(Relation.LIVE, said, path, "skill")]


def is_support_file(path: str) -> bool:
    """Whether a document is a text beside the SKILL.md of a skill."""
    return path.startswith("skills/") and path.endswith(".md") and not path.endswith("/SKILL.md")


def live_files(paths: Iterable[str], snapshot: Snapshot) -> list[Subject]:
    """The live texts that files of skills are compared with."""
    found = ((path, snapshot.document(path)) for path in paths if is_support_file(path))
    return [
        Subject(Relation.LIVE, document.text.strip(), path, "file")
        for path, document in found
        if document.data and document.problem is None
    ]


def compare(proposal: Proposal, places: Sequence[TextIndex]) -> tuple[Likeness, ...]:
    """The texts about the same matter as one that this proposal brings in, the nearest first.

    Of each relation the nearest ones: who is like more of them is held as well.
    """
    aims = _aims(proposal)
    found: dict[tuple[str, str], Likeness] = {}
    for own in subjects_of(proposal):
        candidates = [
            other
            for place in places
            for other in place.near(own.text, (own.domain, ANY_DOMAIN))
            if other.where != proposal.id
            and not _is_aimed_at(other, aims)
            and (not _is_file(other) or _is_form_of(own, other))
        ]
        matches = alike(own.text, [one.text for one in candidates], reasons=False)
        kept: Counter[Relation] = Counter()
        near = (_likeness(candidates[match.index], match) for match in matches)
        for likeness in sorted(near, key=_rank):
            kept[likeness.relation] += 1
            if kept[likeness.relation] <= MOST:
                found.setdefault((likeness.where, likeness.text), likeness)
    return tuple(sorted(found.values(), key=_rank))


def _is_file(subject: Subject) -> bool:
    """Whether it is the whole text of a file that is or was live."""
    known = subject.relation in {Relation.LIVE, Relation.REMOVED}
    return known and is_support_file(subject.where)


def _is_form_of(own: Subject, file: Subject) -> bool:
    """Whether a text says what a file says: a long file has the words of many a short text."""
    if own.domain != "file":
        return False
    mine, theirs = _compared(own.text), _compared(file.text)
    return fuzz.ratio(mine, theirs, score_cutoff=_FORM) > 0


@lru_cache(maxsize=2_048)
def _compared(text: str) -> str:
    """What of a file is looked at: each one is compared with many."""
    return normalise(text[:_COMPARED])


def _likeness(other: Subject, match: Match) -> Likeness:
    is_same = match.kinship is not Kinship.SAME_SUBJECT
    return Likeness(other.relation, other.text, match.score, other.where, exact=is_same)


def _rank(likeness: Likeness) -> tuple[float, str, str, str]:
    return -likeness.score, likeness.relation, likeness.where, likeness.text


def words_to_find(text: str, counts: Mapping[str, int]) -> tuple[tuple[str, ...], int]:
    """The rarest words of a text, and how many of them may find another one alone.

    A text that shares none but commoner words has to share two of them. Very common ones are left
    out: everything shares them.
    """
    words = rare_words(text, counts, LOOKED_UP)
    rare = sum(counts[word] <= COMMON for word in words)
    words = words[: max(rare, AT_LEAST)]
    found, alone = 0, 0
    for word in words:
        found += counts[word]
        if alone and found > ALONE:
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
        """Those of these domains that may be about the same thing; of all domains for none."""
        wanted = [self._domains[name] for name in domains or self._domains if name in self._domains]
        if len(wanted) == 1:
            return wanted[0].near(text)
        return [subject for domain in wanted for subject in domain.near(text)]


class _Domain:
    """The texts of one domain."""

    def __init__(self) -> None:
        self._subjects: list[Subject] = []
        self._places: _Places | None = None

    def add(self, subject: Subject) -> None:
        self._subjects.append(subject)
        self._places = None

    def near(self, text: str) -> Sequence[Subject]:
        """All of them while they are few; else those that share rare words with the text."""
        if len(self._subjects) <= FULL_SCAN:
            return self._subjects
        places = self._index()
        words, alone = words_to_find(text, places)
        shared = Counter(chain.from_iterable(places.of(word) for word in words))
        found = set().union(*(places.of(word) for word in words[:alone]))
        found.update(index for index, amount in shared.items() if amount > 1)
        if len(found) <= CROWD:
            return [self._subjects[index] for index in sorted(found)]
        # Whatever order they came in: what is found depends on what is there alone.
        subjects = ((shared[index], self._subjects[index]) for index in found)
        nearest = sorted(subjects, key=lambda one: (-one[0], one[1].where, one[1].text))
        return [subject for _, subject in nearest[:CROWD]]

    def _index(self) -> _Places:
        if self._places is None:
            self._places = _Places()
            for index, subject in enumerate(self._subjects):
                for word in set(normalise(subject.text).split()):
                    self._places.add(word, index)
        return self._places


class _Places(Mapping[str, int]):
    """In how many texts each word occurs, and in which.

    Most words occur in one: that is kept as it is, which is half of what a list of one takes.
    """

    def __init__(self) -> None:
        self._places: dict[str, int | array[int]] = {}

    def add(self, word: str, place: int) -> None:
        """One more text in which it occurs."""
        known = self._places.setdefault(word, place)
        if isinstance(known, array):
            known.append(place)
        elif known != place:
            self._places[word] = array("I", (known, place))

    def of(self, word: str) -> Sequence[int]:
        """The texts in which it occurs."""
        found = self._places[word]
        return (found,) if isinstance(found, int) else found

    def __getitem__(self, word: str) -> int:
        found = self._places[word]
        return 1 if isinstance(found, int) else len(found)

    def get(self, word: str, default: int = 0) -> int:  # type: ignore[override]  # half are not there
        found = self._places.get(word)
        if found is None:
            return default
        return 1 if isinstance(found, int) else len(found)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@dataclass(frozen=True, slots=True)
class _Aims:
    """What a proposal replaces."""

    texts: tuple[str, ...]
    files: tuple[str, ...]
    """As their paths end."""


def _aims(proposal: Proposal) -> _Aims:
    texts = (e.old_text for e in proposal.edits if isinstance(e, MemoryReplace | MemoryRemove))
    files = (f"/{e.name}/{e.file}" for e in proposal.edits if isinstance(e, SkillWriteFile))
    return _Aims(tuple(said for text in texts if (said := text.strip())), tuple(files))


def _is_aimed_at(subject: Subject, aims: _Aims) -> bool:
    """An entry or a file that a proposal replaces resembles it by nature."""
    if subject.relation is not Relation.LIVE:
        return False
    return subject.where.endswith(aims.files) or any(aim in subject.text for aim in aims.texts)


LONGEST = 20_000
"""Characters of a file that are kept: a longer one never goes in by itself."""


def removed(path: str, then: bytes | None, now: bytes | None, *, is_memory: bool) -> list[Likeness]:
    """The texts of a document that are not in it any more: entries, a skill, a file of one."""
    before, after = _text(then), _text(now)
    if is_memory:
        left = frozenset(parse(after))
        gone = [entry for entry in parse(before) if entry not in left]
    elif path.endswith("/SKILL.md"):
        gone = _other(_described(path, before), _described(path, after))
    elif is_support_file(path):
        gone = _other(before.strip()[:LONGEST], after.strip()[:LONGEST])
    else:
        gone = []
    return [Likeness(Relation.REMOVED, text, 100.0, path, exact=True) for text in gone]


def _other(before: str, after: str) -> list[str]:
    """What was said before, where something else is said now and not a new form of it."""
    return [before] if before and not alike(before, [after], reasons=False) else []


def _described(path: str, text: str) -> str:
    return describe_skill(path.split("/")[-2], text) if text else ""


def _text(data: bytes | None) -> str:
    return data.decode("utf-8", errors="replace") if data else ""
