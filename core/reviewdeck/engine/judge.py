"""The case of a proposal before the six checks: its origin, and what its home knows already.

This module loads the rules. Reading a stored judgement does without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from reviewdeck.engine.bases import BaseLookup
from reviewdeck.engine.explanations import Explanations
from reviewdeck.engine.remote_home import RemoteHome
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    ABSENT,
    OUTSIDE,
    Allowance,
    Cause,
    Currency,
    Freshness,
    Judgement,
    Kind,
    KnownBy,
    Likeness,
    Origin,
    OriginClass,
    Proposal,
    Ready,
    Relation,
    Revision,
    Room,
    Seen,
    SeenBy,
    StagedProposal,
)
from reviewdeck.origin.currency import currency
from reviewdeck.origin.said import hearings, relevant_utterances
from reviewdeck.policy.gate import Case, added_texts, in_own_words, judge_documents
from reviewdeck.policy.in_force import Policy
from reviewdeck.policy.plain import (
    InstructionChange,
    KnownToHome,
    SkillFolder,
    depends_on_home,
    hosts_in,
)
from reviewdeck.ports import Home, Snapshot, Trust
from reviewdeck.reading.agents import agents_called
from reviewdeck.reading.discovery import is_skill_name
from reviewdeck.reading.limits import allowances
from reviewdeck.text.similarity import shared_words


class Judge:
    """Judges the proposals of one home at one moment.

    `texts` is all that is live in the home, `skills` the folder of each skill by its name.
    """

    def __init__(
        self,
        home: Home,
        ledger: Ledger,
        policy: Policy,
        snapshot: Snapshot,
        *,
        bases: BaseLookup,
        texts: Sequence[str],
        skills: Mapping[str, str],
    ) -> None:
        self._explanations = Explanations(ledger, home, snapshot)
        self._is_remote = isinstance(home, RemoteHome)
        """Then what accounts for a change is part of the stored origin."""
        self._policy = policy
        self._snapshot = snapshot
        self._origins = OriginFinder(home, ledger, bases, policy.settings.trust, policy.mark)
        root = _from_user_home(home.where)
        self._known = KnownToHome(
            policy.settings.hosts.union(*map(_hosts_in, texts)),
            "\n".join(texts),
            frozenset(skills),
            {name: f"{root}/{folder}" for name, folder in skills.items()},
            snapshot.free_names,
            agents_called(home.readers),
        )

    def recall_origins(self, ids: Sequence[str]) -> Mapping[str, Origin]:
        """The settled origins of these proposals, by id, as the ledger stores them."""
        return self._origins.recall(ids)

    def depends_on_home(self, proposal: Proposal) -> bool:
        """Whether a rule compares it with the home's texts."""
        return depends_on_home(proposal.edits, self._known.readers)

    def judge(
        self,
        staged: StagedProposal,
        paths: tuple[str, ...],
        *,
        origin: Origin | None,
        alike: tuple[Likeness, ...],
    ) -> Judgement:
        """The answers of the six checks. An origin of None is looked up."""
        return self._policy.judge(self._case(staged, origin, alike, paths))

    def in_own_words(
        self,
        proposed: Judgement,
        own: StagedProposal,
        paths: tuple[str, ...],
        *,
        alike: tuple[Likeness, ...],
    ) -> Judgement:
        """The answers where the user's own words are written in place of what was proposed.

        They go through the whole gate as if the agent had proposed them.
        """
        again = self._policy.judge(self._case(own, proposed.origin, alike, paths))
        return in_own_words(proposed, again)

    def judge_documents(
        self, staged: StagedProposal, paths: tuple[str, ...], last: Judgement, origin: Origin
    ) -> Judgement:
        """The answers where only the documents changed since the last ones."""
        texts = added_texts(staged.proposal.edits)
        currencies = self._origins.currency(staged.proposal, origin, paths, self._snapshot)
        unseen = unseen_similar(texts, currencies)
        room = Room(tuple(self._budgets(staged)))
        return judge_documents(Case(staged, origin, currencies, unseen=unseen, room=room), last)

    def _case(
        self,
        staged: StagedProposal,
        origin: Origin | None,
        alike: tuple[Likeness, ...],
        paths: tuple[str, ...],
    ) -> Case:
        proposal = staged.proposal
        texts = added_texts(proposal.edits)
        origin = origin or self._origins.find(proposal, texts)
        if proposal.outside and origin.known_by is not KnownBy.EXACT and not self._is_remote:
            origin = self._with_explanations(proposal, origin)
        # A change outside review was written onto the text that was live.
        currencies = (
            ()
            if proposal.outside
            else self._origins.currency(proposal, origin, paths, self._snapshot)
        )
        return Case(
            staged,
            origin,
            currencies,
            hearings(proposal.edits, origin.typed),
            alike,
            unseen_similar(texts, currencies),
            self._known,
            Room(tuple(self._budgets(staged))),
            self._folder(staged, paths),
        )

    def _with_explanations(self, proposal: Proposal, origin: Origin) -> Origin:
        explanations = {self._explanations.of_change(change) for change in proposal.outside}
        if None in explanations:
            return origin
        reason = f"It was {'; '.join(sorted(filter(None, explanations)))}."
        return Origin(OriginClass.UNKNOWN, KnownBy.EXACT, reason, is_settled=origin.is_settled)

    def _folder(self, staged: StagedProposal, paths: Sequence[str]) -> SkillFolder | None:
        """The instructions of a skill as they would be, and what the edits do not show.

        A change outside review may have made a file executable; a proposal shows that itself.
        """
        proposal = staged.proposal
        if proposal.kind is not Kind.SKILLS:
            return None
        changes = staged.outcome.plan.changes if isinstance(staged.outcome, Ready) else ()
        results = tuple(
            InstructionChange(change.path, _text(change.before), _text(change.after))
            for change in changes
            if change.before and change.after and is_skill_name(change.path)
        )
        if proposal.action != OUTSIDE:
            return SkillFolder(results=results)
        scripts = {change.path for change in proposal.outside if change.modes}
        unreported = [path for path in paths if path not in scripts]
        modes = ((path, self._snapshot.document(path).mode or 0) for path in unreported)
        executables = tuple(path for path, mode in modes if mode & 0o111)
        return SkillFolder(executables=executables, results=results)

    def _budgets(self, staged: StagedProposal) -> Iterator[tuple[str, Allowance]]:
        """The used part of each limit once the plan is written, by document."""
        changes = staged.outcome.plan.changes if isinstance(staged.outcome, Ready) else ()
        for change in changes:
            text = (change.after or b"").decode("utf-8", "replace")
            for allowance in allowances(self._snapshot.limits(change.path), text):
                yield change.path, allowance


@lru_cache(maxsize=8192)
def _hosts_in(text: str) -> frozenset[str]:
    """Kept, since each part of a home is judged beside all others."""
    return hosts_in(text)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _from_user_home(where: str) -> str:
    """A home's path as its operator writes it: Hermes keeps homes below `~/.hermes`."""
    before, marker, after = where.partition("/.hermes")
    is_usual = marker and before and after[:1] in ("", "/")
    return f"~{marker}{after}" if is_usual else f"…/{where.rpartition('/')[2]}"


EARLIEST: Final = datetime(2020, 1, 1, tzinfo=UTC)
"""No agent kept a memory before; an earlier time in a record is wrong."""
AHEAD: Final = timedelta(minutes=10)
"""The most that a record's clock may be ahead of ours."""


class OriginFinder:
    """Looks up origins in one home; `mark` identifies the policy file's trust settings."""

    def __init__(
        self, home: Home, ledger: Ledger, bases: BaseLookup, trust: Trust, mark: str
    ) -> None:
        self._home = home
        self._ledger = ledger
        self._bases = bases
        self._trust = trust
        self._mark = mark

    def recall(self, ids: Sequence[str]) -> Mapping[str, Origin]:
        """The stored origins of these proposals.

        A conversation before its proposal never changes, and its record may be removed. Where none
        was kept then and some are now, it is looked up again.
        """
        origins = self._ledger.origins(ids, self._mark)
        if self._home.conversations() is None:
            return origins
        kept = origins.items()
        return {id: one for id, one in kept if one.kind is not OriginClass.UNRECORDED}

    def find(self, proposal: Proposal, texts: Sequence[str]) -> Origin:
        """The origin of a proposal, looked up now."""
        # Classifies conversations: not needed for a proposal whose origin is stored.
        from reviewdeck.origin.sources import origin_of

        origin = origin_of(proposal, self._home, self._ledger, self._trust)
        if not origin.utterances:
            return origin
        of_texts = replace(origin, utterances=relevant_utterances(texts, origin.utterances))
        own = [each.own for each in hearings(proposal.edits, of_texts.typed) if each.own]
        if not own:
            return of_texts
        # What was typed about a part of the user's sentence that the proposed text has not.
        return replace(origin, utterances=relevant_utterances([*texts, *own], origin.utterances))

    def currency(
        self, proposal: Proposal, origin: Origin, paths: Sequence[str], snapshot: Snapshot
    ) -> tuple[Currency, ...]:
        """For each document, the author's version compared with the live one."""
        return tuple(self._currency(proposal, origin, path, snapshot) for path in paths)

    def _currency(
        self, proposal: Proposal, origin: Origin, path: str, snapshot: Snapshot
    ) -> Currency:
        live, author_revision = snapshot.document(path), origin.seen.get(path)
        if live.problem is not None:
            return Currency(path, Freshness.UNKNOWN, author_revision)
        text = live.text
        is_memory = snapshot.has_entries(path)
        if author_revision is not None:
            return currency(path, author_revision, text, is_memory=is_memory, changed_since=None)
        if live.revision == ABSENT:
            return Currency(path, Freshness.CURRENT)
        since = self._since(proposal, origin)
        if since is None:
            return Currency(path, Freshness.UNKNOWN)
        revision = self._revision_at(path, since)
        if revision is None or revision == live.revision:
            return Currency(path, Freshness.UNCHANGED)
        data = b"" if revision == ABSENT else self._bases.content(revision)
        if data is None:  # Its bytes are lost: what was in it is not known.
            return Currency(path, Freshness.UNKNOWN)
        then = data.decode("utf-8", "replace")
        # Where text was only added since, everything the author saw is still live.
        result = currency(
            path, Seen(path, then, SeenBy.VIEW), text, is_memory=is_memory, changed_since=None
        )
        match result.standing:
            case Freshness.CURRENT:
                return Currency(path, Freshness.UNCHANGED)
            case Freshness.APPENDED:
                return replace(result, seen=None)
            case _:
                return replace(result, seen=None, standing=Freshness.CHANGED)

    def _since(self, proposal: Proposal, origin: Origin) -> datetime | None:
        """The moment after which the author may have missed a change."""
        if origin.kind is not OriginClass.UNRECORDED:
            return origin.began_at
        created, received = proposal.created_at, proposal.ingested_at
        if created is None or created < EARLIEST:
            return None
        if received is not None and created > received + AHEAD:
            return None
        return created

    def _revision_at(self, path: str, moment: datetime) -> Revision | None:
        """The revision of a document at a moment; None when the ledger has none."""
        if (then := self._bases.revision_at(path, moment)) is not None:
            return then
        if (first := self._bases.first(path)) is None:
            return None
        # A first observation is no change; otherwise the document appeared with it.
        revision, cause = first
        return revision if cause is Cause.SEEN else ABSENT


def unseen_similar(texts: Sequence[str], currencies: Sequence[Currency]) -> tuple[Likeness, ...]:
    """Live entries that an author did not see and that share a significant word with its text.

    Stricter than similarity, since the author did not know of them.
    """
    return tuple(
        Likeness(Relation.LIVE, entry, 0.0, currency.path, shared=shared)
        for currency in currencies
        if currency.standing is Freshness.APPENDED
        for entry in currency.added
        if (shared := shared_words("\n".join(texts), entry))
    )
