"""The dataset's card: what is in it, who made it how, and what nobody has verified."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from antiphon.bench.create.verify import COMPARED_BY
from antiphon.jsonl import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antiphon.bench.create.created import Created
    from antiphon.bench.create.draft import Draft

STATES = ("verified", "accepted", "unverified", "held", "rejected")
UNSTATED = "not stated: ask whoever made this dataset before using it"


def card(created: Created) -> str:
    """The card as Markdown with the front matter that dataset hubs read."""
    plan = created.plan
    inside = [draft for draft in created.drafts if created.decisions.status(draft) in STATES[:3]]
    if plan.verified_only:
        inside = [draft for draft in inside if created.decisions.status(draft) != "unverified"]
    parts = [
        _front(created, inside),
        f"# {plan.name}\n\n{_opening(created, inside)}",
        f"## What is in it\n\n{_counts(created)}",
        f"## What nobody has verified\n\n{_unverified(created)}",
        f"## How it was made\n\n{_facts(_made(created))}",
        f"### Prompts\n\n{_prompts(created.drafts)}",
        f"### Voices\n\n{_voices(created, inside)}",
        f"## Licences\n\n{_licences(plan.licences)}",
        f"## Format\n\n{_FORMAT}",
    ]
    return "\n\n".join(parts) + "\n"


def _front(created: Created, inside: Sequence[Draft]) -> str:
    languages = sorted({draft.language for draft in inside}, reverse=True)
    lines = ["---", f"pretty_name: {dumps(created.plan.name)}"]
    if languages:
        lines += ["language:", *(f"- {language}" for language in languages)]
    return "\n".join([*lines, "tags:", "- speech", "- voice-agent", "- synthetic", "---"])


def _opening(created: Created, inside: Sequence[Draft]) -> str:
    seconds = sum(draft.spoken.duration_s for draft in inside if draft.spoken)
    lines = [
        f"{len(inside)} spoken questions, {seconds / 60:.1f} minutes of synthetic speech, in the format of "
        "VocalBench. Created with `antiphon create`; every question was spoken by a model, none by a person."
    ]
    if created.plan.meta.get("scripted"):
        lines.append(
            "**Scripted**: fakes that recite stood in for models. This dataset tests machinery only."
        )
    return "\n\n".join(lines)


def _counts(created: Created) -> str:
    states = {draft.id: created.decisions.status(draft) for draft in created.drafts}
    subsets = list(dict.fromkeys(draft.subset for draft in created.drafts))
    rows = [
        [
            subset,
            *(
                str(sum(states[d.id] == state for d in created.drafts if d.subset == subset))
                for state in STATES
            ),
        ]
        for subset in subsets
    ]
    total = ["all", *(str(created.count(state)) for state in STATES)]
    left_out = "held, rejected and unverified" if created.plan.verified_only else "held and rejected"
    return (
        _table(["subset", *STATES], [*rows, total])
        + "\n\n*Verified*: every check was passed. *Accepted*: a person heard the question and took it as it is, "
        "whatever could not be verified. *Unverified*: something could not be told; the entry says what. *Held*: "
        f"waits for a person. *Rejected*: a person refused it. Not in the dataset: {left_out}."
    )


def _unverified(created: Created) -> str:
    marked = [draft for draft in created.drafts if draft.marks]
    reasons = Counter(
        (mark.stage, _kind_of(mark.reason), created.decisions.status(draft))
        for draft in marked
        for mark in draft.marks
        if mark.kind == "unverified"
    )
    if not reasons:
        return "Nothing: every check could be made."
    rows = [[stage, reason, status, str(many)] for (stage, reason, status), many in sorted(reasons.items())]
    return _table(["stage", "reason", "now", "drafts"], rows)


def _kind_of(reason: str) -> str:
    """A reason without what is special to one draft."""
    return reason.split(": ", 1)[0]


def _made(created: Created) -> Mapping[str, str]:
    plan, spoken = created.plan, [draft.spoken for draft in created.drafts if draft.spoken]
    equal = [one for one in spoken if one.equal]
    models: Mapping[str, str | None] = plan.meta.get("models", {})
    tries = Counter(one.attempts for one in spoken)
    facts = {name: f"`{value}`" if value else "none" for name, value in models.items()}
    facts |= {
        "verdicts under": ", ".join(f"`{label}`" for label in plan.meta.get("verdicts", ())) or "none",
        "texts from": plan.source.rsplit("/", 1)[-1],
        "stages left out": ", ".join(plan.skip) or "none",
        "seed": str(plan.seed),
        "heard again": f"{len(spoken)} questions: {len(equal)} equal in syllables or words, "
        f"{sum(one.identical for one in equal)} of them in characters too",
        "attempts": ", ".join(f"{many} after {number}" for number, many in sorted(tries.items())) or "none",
        "compared by": COMPARED_BY,
        "made": f"{plan.meta.get('made_at', 'unknown')}, Antiphon {plan.meta.get('antiphon', 'unknown')}",
    }
    return facts


def _prompts(drafts: Iterable[Draft]) -> str:
    labels = Counter((step.stage, step.prompt, step.by) for draft in drafts for step in draft.steps)
    rows = [
        [stage, f"`{prompt}`" if prompt else "", by, str(many)]
        for (stage, prompt, by), many in sorted(labels.items())
    ]
    return _table(["stage", "prompt@version", "by", "drafts"], rows) if rows else "No text was worked on."


def _voices(created: Created, inside: Sequence[Draft]) -> str:
    used = Counter(draft.spoken.voice for draft in inside if draft.spoken)
    rows = [
        [
            voice.name or "default",
            voice.origin,
            f"{voice.mos:.2f}" if voice.mos is not None else "not measured",
            created.decisions.of_voices.get(voice.name, "not listened to"),
            str(used[voice.name]),
        ]
        for voice in created.profiles
    ]
    text = _table(["voice", "origin", "UTMOS", "a listener says", "questions"], rows)
    if any(voice.origin == "preset" for voice in created.profiles):
        text += "\n\nPreset voices stand in for prompt clips, which the published procedure uses (arXiv 2511.08230, appendix A)."
    return text


def _licences(given: Sequence[str]) -> str:
    return "\n".join(f"- {licence}" for licence in given) or UNSTATED.capitalize() + "."


def _facts(facts: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in facts.items())


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


_FORMAT = """`json/SUBSET.json` holds the entries of a subset, `audio/` their sound (16-bit wav), `suite.toml` the name:
`antiphon run --suite FOLDER` measures a voice agent on it. `Set`, `Qid`, `Audio`, `Question` and the keys after
them are those of VocalBench-zh; `Voice`, `Given` (the question as it came) and `Unverified` are additions."""
