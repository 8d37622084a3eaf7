"""Similarity: the live, pending, removed and rejected texts that resemble a proposal.

A removed text must not come back unseen.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple, Protocol, Self

from rapidfuzz import fuzz

from reviewdeck.ledger.ledger import Ledger
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
from reviewdeck.model.ledger import ANY_DOMAIN, Posting, Postings, Subject
from reviewdeck.planning.frontmatter import parse_front
from reviewdeck.ports import Snapshot
from reviewdeck.text.entries import parse
from reviewdeck.text.similarity import (
    Match,
    MatchKind,
    content_words,
    find_similar,
    percent_alike,
    shared_weight,
    shared_words,
)
from reviewdeck.text.terms import normalise, terms_of
from reviewdeck.values import dataclass

COMMON = 200
"""A term of more texts than this finds none: they share it with everything."""

MOST = 20
"""The most similar texts of one relation that are reported."""

CROWD = 200
"""The most texts compared with one: those that share most of its rarest terms."""

_MANY = 5
_OF_THESE = 8
"""A word tells nothing where it stands in five texts and in about one of eight."""
_CLOSE = 80.0
"""From so many per cent on two texts are alike, whatever words they share."""
_SHARED_IN_QUEUE = 4.0
"""The least weight of the words that two proposals share: once one is live, the other is judged."""


_FORM = 75.0
"""The least ratio of equal letters from which one file counts as a form of another."""
_LENGTHS = _FORM / (200.0 - _FORM)
"""The least ratio of the lengths of two texts that are so equal."""
_COMPARED = 4_000
"""The characters of a file that are compared for that."""
_OF_WORDS = 0.5
"""The least share of the shorter one's words.

Of 1,352 files of published skills, those that are so equal in letters share two thirds of them, and
nearly all other pairs less than a third.
"""
_BITS = 2_048
"""Enough that two files with different words share few bits."""
_MOST_MET = 8_192
"""Different files that are remembered with their forms."""
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


def compare(
    proposal: Proposal, indexes: Sequence[TextIndex], files: LiveFiles | None = None
) -> tuple[Likeness, ...]:
    """The similar texts of a proposal, the nearest first.

    At most `MOST` of each relation. The live files of skills are compared with a file.
    """
    aims = _replaced_by(proposal)
    live = frozenset(change.path for change in proposal.outside)
    similar: dict[tuple[str, str], Likeness] = {}
    for own in subjects_of(proposal):
        holding = [index for index in indexes if index.may_hold(own)]
        forms = files.forms_of(own, live) if files is not None else ()
        if not (holding or forms):
            continue
        terms = terms_of(own.text)
        near_texts = (_nearest(own, index, index.look_up(terms)) for index in holding)
        candidates = [
            candidate
            for candidate in chain(chain.from_iterable(near_texts), forms)
            if candidate.where != proposal.id and not _is_replaced(candidate, aims)
        ]
        if not candidates:  # nearly always
            continue
        matches = find_similar(
            own.text, [candidate.text for candidate in candidates], reasons=False
        )
        counts: Counter[Relation] = Counter()
        near = [_likeness(own.text, candidates[match.index], match) for match in matches]
        # What words tell is counted without the files, which few are compared with.
        many = telling_below(sum(map(len, indexes)))
        postings = [index.look_up(terms) for index in indexes]
        for likeness in sorted(_telling(own.text, near, postings, many), key=_rank):
            counts[likeness.relation] += 1
            if counts[likeness.relation] <= MOST:
                similar.setdefault((likeness.where, likeness.text), likeness)
    return tuple(sorted(similar.values(), key=_rank))


def telling_below(amount: int) -> int:
    """The number of texts, of so many, from which on a word that stands in them tells nothing.

    Beyond a hundred it grows in steps, so that one text more hardly ever changes what others tell.
    """
    share = amount // _OF_THESE
    step = 1 << max(0, share.bit_length() - 4)
    return max(_MANY, -(-share // step) * step)


def _nearest(own: Subject, index: TextIndex, postings: Postings) -> Sequence[Subject]:
    """The texts that share a term with this one; of many, those that share the rarest."""
    shared: defaultdict[int, float] = defaultdict(float)
    for posting in postings.values():
        for number in posting.texts:
            shared[number] += 1 / posting.count
    near = {
        number: text
        for number, text in index.texts(tuple(shared)).items()
        if text.domain in (own.domain, ANY_DOMAIN) and not _is_unlike(own, text)
    }
    if len(near) <= CROWD:
        return tuple(near.values())
    # Not by their numbers: the result does not depend on the order of insertion.
    nearest = sorted(near, key=lambda n: (-shared[n], near[n].where, near[n].text))
    return [near[number] for number in nearest[:CROWD]]


def _telling(
    own: str, near: Sequence[Likeness], postings: Sequence[Postings], many: int
) -> Iterator[Likeness]:
    """The similar texts without those that share only words which stand in many texts here."""
    for likeness in near:
        shared = content_words(own) & content_words(likeness.text)
        is_loose = likeness.relation is Relation.PENDING and likeness.score < _CLOSE
        if is_loose and shared_weight(own, likeness.text) < _SHARED_IN_QUEUE:
            continue
        counts = (sum(p[word].count for p in postings if word in p) for word in shared)
        if likeness.score >= _CLOSE or not shared or any(count < many for count in counts):
            yield likeness


def live_among(proposal: Proposal, paths: Iterable[str], snapshot: Snapshot) -> frozenset[str]:
    """The texts of a proposal that stand in these documents already."""
    live = {normalise(subject.text) for subject in live_subjects(paths, snapshot)}
    texts = (subject.text for subject in subjects_of(proposal))
    return frozenset(text for text in texts if normalise(text) in live)


def _is_unlike(own: Subject, text: Subject) -> bool:
    """Whether a text is none of the forms of a file that was removed."""
    if text.relation is not Relation.REMOVED or not is_support_file(text.where):
        return False
    return own.domain != "file" or not _Form.of(own.text).among([_Form.of(text.text)])


class _Form(NamedTuple):
    """The compared part of a file, and what tells of most others that they are unlike it."""

    text: str
    bits: int
    """One of `_BITS` for each of its words."""
    least: float
    """The least bits shared with a form that has no fewer words than it.

    Several words may have one bit.
    """
    size: int
    """The characters of the text."""

    @classmethod
    def of(cls, text: str) -> _Form:
        """Cached: the files of a home are compared whenever one of them changes."""
        return _form_of(text[:_COMPARED])

    def among(self, files: Iterable[_Form]) -> Sequence[_Form]:
        """Those of these files of which this one is a form.

        A long file shares words with many short texts.
        """
        own, bits, least, size = self
        shortest, longest = size * _LENGTHS, size / _LENGTHS
        near = [
            other
            for other in files
            if shortest <= other[3] <= longest
            and ((shared := (bits & other[1]).bit_count()) >= least or shared >= other[2])
        ]
        return [other for other in near if _are_forms(*sorted((own, other.text)))]


@lru_cache(maxsize=4_096)
def _form_of(part: str) -> _Form:
    text = normalise(part)
    words, bits = set(text.split()), 0
    for place in {hash(word) % _BITS for word in words}:
        bits |= 1 << place
    least = _OF_WORDS * len(words) - (len(words) - bits.bit_count())
    return _Form(text, bits, least, len(text))


class _Met:
    """The files of homes so far, each different one once. They are only added to."""

    def __init__(self) -> None:
        self._forms: list[_Form] = []
        self._texts: set[str] = set()
        self._like: dict[str, tuple[int, Mapping[str, None]]] = {}
        """By the text of each that was asked for, how many it was compared with, and its forms."""

    def __len__(self) -> int:
        return max(len(self._forms), len(self._like))

    def add(self, form: _Form) -> None:
        if form.text not in self._texts:
            self._forms.append(form)  # First: another thread takes what is noted for compared.
            self._texts.add(form.text)

    def forms_of(self, form: _Form) -> Iterable[str]:
        """The texts of all files that it is a form of. It is compared with new ones alone."""
        compared, found = self._like.get(form.text, (0, {}))
        if new := self._forms[compared:]:
            found = {**found, **dict.fromkeys(other.text for other in form.among(new))}
            self._like[form.text] = compared + len(new), found
        return found


@lru_cache(maxsize=1)
def _met() -> _Met:
    return _Met()


@lru_cache(maxsize=32_768)
def _are_forms(first: str, second: str) -> bool:
    """Cached: of the files of a home, each is compared with each, both ways."""
    words, others = set(first.split()), set(second.split())
    if len(words & others) < _OF_WORDS * min(len(words), len(others)):
        return False
    return fuzz.ratio(first, second, score_cutoff=_FORM) > 0


def _likeness(own: str, subject: Subject, match: Match) -> Likeness:
    if match.kind is not MatchKind.SAME_SUBJECT:
        return Likeness(subject.relation, subject.text, 100.0, subject.where, exact=True)
    percent = min(99.0, percent_alike(own, subject.text))
    shared = shared_words(own, subject.text)
    return Likeness(subject.relation, subject.text, percent, subject.where, shared=shared)


def _rank(likeness: Likeness) -> tuple[float, str, str, str]:
    return -likeness.score, likeness.relation, likeness.where, likeness.text


class TextIndex(Protocol):
    """Texts by their terms."""

    def __len__(self) -> int: ...

    def may_hold(self, own: Subject) -> bool:
        """False only where it has no text that this one is compared with."""

    def look_up(self, terms: Iterable[str]) -> Postings:
        """The texts that have these terms; of one that none has, nothing."""

    def texts(self, numbers: Collection[int]) -> Mapping[int, Subject]:
        """The texts with these numbers, but for those that are not current any more."""


class LiveTexts:
    """The texts of documents as they are on the disk."""

    def __init__(self, subjects: Iterable[Subject]) -> None:
        self._subjects = tuple(subjects)
        self._gone: frozenset[int] = frozenset()
        self._whole: Self | None = None

    def __len__(self) -> int:
        return len(self._subjects) - len(self._gone)

    def may_hold(self, own: Subject) -> bool:
        return not self._domains.isdisjoint((own.domain, ANY_DOMAIN))

    def without(self, subjects: Iterable[Subject]) -> Self:
        """The texts but for these; all of them are indexed once."""
        gone = Counter(subjects)
        past = copy(self)
        past._whole = self if self._whole is None else self._whole
        past._gone = frozenset(
            number for subject, count in gone.items() for number in self._numbers[subject][:count]
        )
        return past

    @property
    def subjects(self) -> Sequence[Subject]:
        """The texts, in order."""
        if not self._gone:
            return self._subjects
        return [each for at, each in enumerate(self._subjects) if at not in self._gone]

    def look_up(self, terms: Iterable[str]) -> Postings:
        postings: dict[str, Posting] = {}
        for term in terms:
            found = self._places.get(term, ())
            if self._gone and not self._gone.isdisjoint(found):
                found = [number for number in found if number not in self._gone]
            if found:
                postings[term] = Posting(len(found), found if len(found) <= COMMON else ())
        return postings

    def texts(self, numbers: Collection[int]) -> Mapping[int, Subject]:
        return {number: self._subjects[number] for number in numbers}

    @cached_property
    def _domains(self) -> frozenset[str]:
        return frozenset(subject.domain for subject in self._subjects)

    @cached_property
    def _numbers(self) -> Mapping[Subject, Sequence[int]]:
        numbers: defaultdict[Subject, list[int]] = defaultdict(list)
        for number, subject in enumerate(self._subjects):
            numbers[subject].append(number)
        return numbers

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        if self._whole is not None:
            return self._whole._places
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, subject in enumerate(self._subjects):
            for term in terms_of(subject.text):
                places[term].append(number)
        return dict(places)


class LiveFiles(LiveTexts):
    """The files of skills as they are on the disk, of which a text is compared with its forms."""

    def forms_of(self, own: Subject, live: Collection[str]) -> Sequence[Subject]:
        """The files that a text is a form of, at most `CROWD` of them.

        None where that is only the text itself, in these documents.
        """
        if own.domain != "file":
            return ()
        files = self._files
        near = [
            self._subjects[number]
            for text in self._met.forms_of(_Form.of(own.text))
            for number in files.get(text, ())
            if number not in self._gone
        ]
        if all(file.text == own.text and file.where in live for file in near):
            return ()
        if len(near) > CROWD:
            near.sort(key=lambda file: (-percent_alike(own.text, file.text), file.where, file.text))
        return near[:CROWD]

    @cached_property
    def _files(self) -> Mapping[str, Sequence[int]]:
        """By its compared part, the numbers of the files that have it: many are copies."""
        if self._whole is not None:
            return self._whole._files
        files: defaultdict[str, list[int]] = defaultdict(list)
        for number, subject in enumerate(self._subjects):
            form = _Form.of(subject.text)
            files[form.text].append(number)
            self._met.add(form)
        return dict(files)

    @cached_property
    def _met(self) -> _Met:
        if self._whole is not None:
            return self._whole._met
        if len(_met()) > _MOST_MET:
            _met.cache_clear()
        return _met()


class StoredTexts:
    """The pending, removed and rejected texts of a home, as the ledger has them at one moment."""

    def __init__(self, ledger: Ledger, home: str) -> None:
        self._ledger = ledger
        self._home = home
        self._known: dict[str, Posting | None] = {}
        self._texts: dict[int, Subject] = {}
        self._of: dict[str, list[Subject]] = {}
        """By domain, what was read of it."""

    def __len__(self) -> int:
        return self._amount

    @cached_property
    def _amount(self) -> int:
        return self._ledger.subject_count(self._home)

    def may_hold(self, own: Subject) -> bool:
        return self._amount > 0

    def expect(self, proposals: Iterable[Proposal]) -> None:
        """Looks up all terms of these proposals at once. Of those before, the common ones stay."""
        texts = (subject.text for proposal in proposals for subject in subjects_of(proposal))
        terms = dict.fromkeys(chain.from_iterable(map(terms_of, texts)))
        if self._known.keys() >= terms.keys():
            return
        common: dict[str, Posting | None] = {
            term: posting
            for term, posting in self._known.items()
            if posting is not None and posting.count > COMMON
        }
        self._known, self._texts = common, {}
        self.look_up(terms)

    def look_up(self, terms: Iterable[str]) -> Postings:
        wanted = tuple(terms)
        if missing := [term for term in wanted if term not in self._known]:
            found = self._ledger.texts_with(self._home, missing, COMMON)
            self._known |= {term: found.postings.get(term) for term in missing}
            self._texts |= found.subjects
        return {term: posting for term in wanted if (posting := self._known[term]) is not None}

    def texts(self, numbers: Collection[int]) -> Mapping[int, Subject]:
        """The texts with these numbers, but for those of proposals that are decided."""
        return {n: text for n in numbers if (text := self._texts.get(n)) is not None}

    def expect_domains(self, domains: Iterable[str]) -> None:
        """Reads the pending texts of these domains at once."""
        wanted = dict.fromkeys(domains)
        if missing := [domain for domain in wanted if domain not in self._of]:
            found = self._ledger.subjects_of(self._home, missing)
            self._of |= {domain: [] for domain in missing}
            for subject in found:
                self._of[subject.domain].append(subject)

    def of(self, domains: Sequence[str]) -> Sequence[Subject]:
        """The pending texts of these domains."""
        self.expect_domains(domains)
        return [subject for domain in domains for subject in self._of[domain]]


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
