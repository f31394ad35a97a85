"""The review: a local page that shows what waits for a person, and keeps each decision before it answers."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import msgspec

from antiphon.bench.create.created import Created
from antiphon.bench.create.decisions import OF_VOICES, Action, Decision, fold, log_path
from antiphon.bench.create.tag import SPLITS
from antiphon.bench.folder import clip_name
from antiphon.clock import RealClock
from antiphon.errors import ConfigError
from antiphon.report import page
from antiphon.report.local_app import (
    body_of,
    get,
    html_response,
    json_response,
    local_app,
    new_token,
    open_log,
    post,
    serve,
    sound_response,
)
from antiphon.report.marks import marked, runs, same
from antiphon.report.players import player

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from markupsafe import Markup
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from antiphon.bench.create.draft import Draft, Mark, Step
    from antiphon.bench.create.voices import VoiceProfile
    from antiphon.clock import Clock
    from antiphon.report.local_app import Log
    from antiphon.report.players import Player

_REAL = RealClock()
_AT_ONCE = 200  # questions on a page: each shows its waveform, and nobody hears more in one sitting


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends: a decision on a draft as it was shown, or on a voice."""

    item: str
    action: Action
    seen: str = ""
    question: str = ""
    answer: str = ""
    subset: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class DraftView:
    """A draft as it stands on the page. `heard` is the transcript with its differences marked; None where
    it was heard word for word or there is no sound; `decided` is the last decision on what is shown."""

    draft: Draft
    state: Literal["blocked", "review", "unverified"]
    player: Player | None
    heard: Markup | None
    decided: str
    marks: Sequence[Mark]
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class VoiceView:
    """A voice as it stands on the page."""

    profile: VoiceProfile
    player: Player
    hearing: str


class Review:
    """One session: what was waiting when it began, and the log of decisions."""

    def __init__(self, created: Created, log: Log[Decision], clock: Clock = _REAL) -> None:
        self._created = created
        self._log = log
        self._clock = clock
        self._waiting = {draft.id: draft for draft in created.waiting}
        self._voices = {voice.name: voice for voice in created.profiles}
        self._clips = {draft.spoken.clip for draft in self._waiting.values() if draft.spoken}
        self._clips |= {voice.clip for voice in created.profiles}
        self._last = {(one.item, one.seen): one.action for one in log.rows if one.action not in OF_VOICES}

    def app(self, token: str, stop: Callable[[], None]) -> ASGIApp:
        """The page and its answers below `/TOKEN/`."""

        async def show(_: Request) -> Response:
            return html_response(self.html())

        async def decide(request: Request) -> Response:
            self.keep(await body_of(request, Answer))
            return json_response({"kept": len(self._log.rows), "left": self.left})

        async def sound(request: Request) -> Response:
            digest = str(request.path_params["digest"])
            if digest not in self._clips:
                return json_response({"error": "no such sound"}, 404)
            return sound_response(self._created.folder / clip_name(digest))

        async def finish(_: Request) -> Response:
            stop()
            return json_response({"kept": len(self._log.rows), "left": self.left})

        return local_app(
            [
                get("/", show),
                get("/clips/{digest}.flac", sound),
                post("/decisions", decide),
                post("/finish", finish),
            ],
            token,
        )

    @property
    def left(self) -> int:
        """How many drafts still wait for a decision."""
        return sum(not self._decided(draft) for draft in self._waiting.values())

    def keep(self, answer: Answer) -> None:
        """Check a decision and keep it. Raises ConfigError where it does not fit what is shown, DataError
        where the disk refuses."""
        if answer.action in OF_VOICES:
            if answer.item not in self._voices:
                raise ConfigError(f"no voice {answer.item!r} here")
        else:
            self._check(answer)
        at = self._clock.utc().isoformat(timespec="seconds")
        self._log.append(Decision(at=at, **msgspec.structs.asdict(answer)))
        if answer.action not in OF_VOICES:
            self._last[answer.item, answer.seen] = answer.action

    def _check(self, answer: Answer) -> None:
        draft = self._waiting.get(answer.item)
        if draft is None:
            raise ConfigError(f"nothing with the id {answer.item!r} waits here")
        if answer.seen != draft.shown:
            raise ConfigError(f"{answer.item} is not what it was when the page was opened; open it again")
        if answer.action == "accept" and (draft.spoken is None or draft.blocked):
            raise ConfigError(
                f"{answer.item} cannot be accepted: there is nothing to speak; edit or reject it"
            )
        if answer.action == "edit":
            _check_edit(draft, answer)

    def _decided(self, draft: Draft) -> str:
        """The last decision on what is shown of a draft, "" where there is none."""
        return self._last.get((draft.id, draft.shown), "")

    def html(self) -> str:
        """The page as it is now."""
        hearings = fold(self._log.rows).of_voices
        undecided_first = sorted(self._waiting.values(), key=lambda draft: bool(self._decided(draft)))
        drafts = [self._view(draft) for draft in undecided_first[:_AT_ONCE]]
        voices = [
            VoiceView(
                voice,
                player("person", self._file(voice.clip), f"clips/{voice.clip}.flac", voice.name or "default"),
                hearings.get(voice.name, ""),
            )
            for voice in self._voices.values()
        ]
        own = files("antiphon.bench").joinpath("templates/review.js").read_text("utf-8")
        values = {
            "name": self._created.plan.name,
            "scripted": bool(self._created.plan.meta.get("scripted")),
            "total": len(self._created.drafts),
            "waiting": len(self._waiting),
            "left": self.left,
            "drafts": drafts,
            "voices": voices,
            "splits": tuple(SPLITS.values()),
        }
        return page.render("antiphon.bench", "review.html", values, own_script=own)

    def _view(self, draft: Draft) -> DraftView:
        spoken = draft.spoken
        sound = heard = None
        if spoken is not None:
            sound = player("person", self._file(spoken.clip), f"clips/{spoken.clip}.flac", draft.id)
            compared = runs(draft.question, spoken.heard)
            heard = None if same(compared) else marked(compared)
        kinds = {mark.kind for mark in draft.marks}
        state = "blocked" if "blocked" in kinds else "review" if "review" in kinds else "unverified"
        return DraftView(draft, state, sound, heard, self._decided(draft), draft.marks, draft.steps)

    def _file(self, digest: str) -> Path:
        return self._created.folder / clip_name(digest)


def _check_edit(draft: Draft, answer: Answer) -> None:
    if not answer.question.strip():
        raise ConfigError("an edited question cannot be empty")
    if draft.shape.answer and not answer.answer.strip():
        raise ConfigError(f"{draft.subset} needs an answer")
    splits = tuple(SPLITS.values())
    if answer.subset not in ("", draft.subset, *splits) or (
        answer.subset and draft.shape.ability != "knowledge"
    ):
        raise ConfigError(f"{draft.id} cannot become {answer.subset!r}; knowledge can: {', '.join(splits)}")


def open_review(created: Created, port: int, announce: Callable[[str], object]) -> int:
    """Serve the review until it is finished or Ctrl-C; how many decisions there are then in all.

    `announce` gets the address. Raises ConfigError where another review is open on this creation, or the
    port is taken.
    """
    token = new_token()
    with open_log(log_path(created.folder), Decision) as log:
        review = Review(created, log)
        serve(
            lambda stop: review.app(token, stop), port=port, announce=lambda url: announce(f"{url}/{token}/")
        )
        return len(log.rows)
