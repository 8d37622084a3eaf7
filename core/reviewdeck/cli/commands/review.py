"""`reviewdeck review`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.model_options import MODEL_DEFAULTS, ModelOptions, Part
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.session import opened
from reviewdeck.cli.usage import UsageProblem

DONE, FAILED, INTERRUPTED = 0, 1, 130


def review(
    file: Annotated[
        Path | None,
        Parameter(help="A conversation: an OpenAI or Anthropic request, or Hermes' session JSON."),
    ] = None,
    /,
    *,
    hermes_session: Annotated[
        str | None, Parameter(help="A session of the home's own state.db, by its id.")
    ] = None,
    only: Annotated[Part | None, Parameter(help="Review memory or skills alone.")] = None,
    focus: Annotated[
        str, Parameter(help="What to look at above all, in your words.", show_default=False)
    ] = "",
    model: ModelOptions = MODEL_DEFAULTS,
    options: Options = DEFAULTS,
) -> int:
    """Review a conversation, and stage what is worth keeping.

    Nothing is written to the home. What is found waits in the deck like any other proposal.
    """
    from reviewdeck.cli.reviewing import interruptible, noting, reviewer_for, watching
    from reviewdeck.reviewer.conversation import load_conversation, load_session
    from reviewdeck.reviewer.exchange import ExchangeEnd
    from reviewdeck.reviewer.review import ReviewRequest

    with opened(options) as deck:
        home = deck.desk.one_home().home
        if file is not None and hermes_session is None:
            conversation = load_conversation(file)
        elif file is None and hermes_session is not None:
            conversation = load_session(Path(home.id), hermes_session)
        else:
            hint = "Give either FILE or --hermes-session ID."
            raise UsageProblem("It has to be said which conversation to review.", hint=hint)
        reviewer, conversation = reviewer_for(deck, home, conversation, model)
        wanted = ReviewRequest(only is not Part.SKILLS, only is not Part.MEMORY, focus)
        with noting(options, reviewer), interruptible() as cancel:
            reviewed = reviewer.run(conversation, wanted, cancel=cancel, watch=watching(options))
        if options.json:
            from reviewdeck.cli.output import print_json
            from reviewdeck.cli.render_review import review_json

            print_json(review_json(deck, reviewed))
        else:
            from reviewdeck.cli.render_review import print_review

            print_review(deck, reviewed)
    match reviewed.spoken.ending:
        case ExchangeEnd.FAILED:
            return FAILED
        case ExchangeEnd.CANCELLED:
            return INTERRUPTED
        case _:
            return DONE
