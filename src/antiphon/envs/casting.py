"""Who plays: a system and a partner by URI, opened once a process and given out episode by episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.audio.perturb import from_text
from antiphon.cache import Store, default_folder
from antiphon.clock import RealClock, VirtualClock
from antiphon.envs.plan import script_tools
from antiphon.envs.reference import SCHEME, ReferenceChat, flaw_of
from antiphon.errors import ConfigError
from antiphon.models.cascade import Cascade, Style, options_of, part_uri
from antiphon.models.catalog import open_chat, open_synthesizer, open_transcriber
from antiphon.models.ports import Voice, warm
from antiphon.models.uri import parse
from antiphon.partner.model import ModelPartner
from antiphon.partner.spoken import Conditions, SpokenPartner
from antiphon.partner.user import ScriptedPartner

if TYPE_CHECKING:
    from antiphon.clock import Clock
    from antiphon.envs.domain import Domain
    from antiphon.envs.plan import Flaw
    from antiphon.envs.task import Task
    from antiphon.models.ports import Chat, Synthesizer, Transcriber
    from antiphon.partner.partner import Partner

SCRIPTED = "scripted"
_CASCADES = ("cascade", "embedded")
_INSTANT = (SCHEME, "scripted")
_AGAIN = 0.7  # temperature of a model-driven partner that plays an invalid episode again


@dataclass(frozen=True, slots=True)
class Casting:
    """Who plays, by URI. `partner` is "scripted" or a chat model. With `synthesizer` every turn of the partner is
    spoken, disturbed by `noise` (recipes of audio.perturb, in order), then heard over the `telephone`.
    `transcriber` writes down the words of a system that speaks without saying them."""

    system: str = f"{SCHEME}:"
    partner: str = SCRIPTED
    synthesizer: str | None = None
    noise: tuple[str, ...] = ()
    telephone: bool = False
    transcriber: str | None = None

    def __post_init__(self) -> None:
        if self.synthesizer is None and (self.noise or self.telephone):
            raise ConfigError("noise and telephone are for speech; add --spoken")

    @property
    def instant(self) -> bool:
        """Whether nothing in it takes time: then the times of a trace are the script's."""
        names = [self.system, f"{SCRIPTED}:" if self.partner == SCRIPTED else self.partner]
        names += [uri for uri in (self.synthesizer, self.transcriber) if uri is not None]
        return all(name.partition(":")[0] in _INSTANT for name in names)


class Cast:
    """Opened models. Systems and voices are shared by the episodes of a process, partners are one an episode.

    Raises ConfigError for what cannot play together.
    """

    def __init__(self, casting: Casting, domain: Domain, seed: int = 0) -> None:
        self.casting = casting
        self.domain = domain
        self._seed = seed
        clock: Clock = VirtualClock() if casting.instant else RealClock()
        self._clock = clock
        found = _reference(casting.system, clock)
        self._flaw: Flaw | None = found[0]
        self._parts = found[1]
        self._shared = open_chat(casting.system, clock) if self._parts is None else None
        self._references: dict[str, Chat] = {}
        self._talker = None if casting.partner == SCRIPTED else open_chat(casting.partner, clock)
        self._voice = open_synthesizer(casting.synthesizer, clock) if casting.synthesizer else None
        self._conditions = Conditions(tuple(map(from_text, casting.noise)), casting.telephone)
        self._store = Store(default_folder() / "speech")
        self.ears: Transcriber | None = (
            open_transcriber(casting.transcriber, clock) if casting.transcriber else None
        )

    def clock(self) -> Clock:
        """The clock of one episode."""
        return VirtualClock() if self.casting.instant else self._clock

    def system(self, task: Task) -> Chat:
        """The system for an episode of a task."""
        if self._shared is not None:
            return self._shared
        if task.task_id not in self._references:
            self._references[task.task_id] = self._reference(task)
        return self._references[task.task_id]

    def _reference(self, task: Task) -> Chat:
        chat = ReferenceChat(self.domain, task, self._flaw)
        if not self._parts:
            return chat
        transcriber, synthesizer = self._parts
        return Cascade(transcriber, chat, synthesizer, self._clock, Style(language=task.language))

    def partner(self, task: Task, seed: int, attempt: int = 0) -> Partner:
        """A new partner for one episode of a task. Greedy at first; a later attempt would only repeat that."""
        partner: Partner
        if self._talker is None:
            if task.script is None:
                raise ConfigError(f"{task.task_id} has no script; name a model to play it: --partner URI")
            partner = ScriptedPartner(script_tools(task), task.language)
        else:
            tools = tuple(tool.spec for tool in self.domain.partner_tools.values())
            partner = ModelPartner(
                self._talker, task.user_system_prompt, task.script, task.language, tools,
                seed=seed, temperature=_AGAIN if attempt else 0.0,
            )  # fmt: skip
        if self._voice is None:
            return partner
        voice = Voice(seed=self._seed)
        return SpokenPartner(partner, self._voice, task.language, self._conditions, voice, self._store)

    def check(self, task: Task) -> tuple[str, str]:
        """The full names of system and partner. Raises ConfigError where they cannot play this task together."""
        system, partner = self.system(task), self.partner(task, 0)
        if self._voice is not None and "speech" not in system.accepts:
            raise ConfigError(
                f"{self.casting.system} reads text only; to have it hear, put it behind a recogniser: "
                f"--system 'cascade:?chat={self.casting.system}'"
            )
        if "text" not in system.gives and self.ears is None:
            raise ConfigError(f"{self.casting.system} gives no words; name a recogniser: --transcriber URI")
        return system.name, partner.name

    async def warm(self, task: Task) -> None:
        """Load all weights before the first episode is timed."""
        for model in (self.system(task), self._talker, self._voice, self.ears):
            await warm(model)


def _reference(
    text: str, clock: Clock
) -> tuple[Flaw | None, tuple[Transcriber, Synthesizer] | tuple[()] | None]:
    """The flaw of a `reference:` system and its ears and voice, none where it reads; None for any other system."""
    scheme = parse(text).scheme
    if scheme == SCHEME:
        return flaw_of(text), ()
    chat = options_of(text).get("chat", "") if scheme in _CASCADES else ""
    if chat.partition(":")[0] != SCHEME:
        return None, None
    ears = open_transcriber(part_uri(text, "transcriber"), clock)
    return flaw_of(chat), (ears, open_synthesizer(part_uri(text, "synthesizer"), clock))
