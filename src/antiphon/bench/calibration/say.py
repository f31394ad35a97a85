"""Agreement in words, for a terminal: what was compared, what came out, and what is not known and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.calibration.eva import PUBLISHED

if TYPE_CHECKING:
    from antiphon.bench.calibration.calibrate import Calibration
    from antiphon.judge.agreement import Agreement, Share

# How a value of Landis and Koch's scale is called (Biometrics 33, 1977): words, not verdicts.
_SCALE = ((0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"), (0.0, "slight"))


def say_calibration(found: Calibration) -> str:
    """One judge on one set."""
    head = f"{found.set}: {found.labelled} labelled · {found.prompt}"
    if found.agreement is None or found.reason is not None:
        return f"{head}\n  not measured: {found.reason}"
    lines = [head]
    if found.not_asked:
        lines.append(f"  {found.not_asked} not asked: the budget ended; the same command goes on")
    lines += say_agreement(found.agreement, "judge", "labels")
    for member, one in found.members.items():
        lines.append(f"    {member}: agreement {percent(one.exact)}, kappa {_kappa(one)}")
    if found.repeated is not None:
        lines.append(f"  all members or repetitions agree: {percent(found.repeated)}")
    if found.swapped is not None:
        lines.append(f"  the same with the two words in the other order: {percent(found.swapped)}")
    elif found.swap_reason:
        lines.append(f"  order of the words: not measured: {found.swap_reason}")
    if found.set in PUBLISHED:
        judge, accuracy, f1 = PUBLISHED[found.set]
        lines.append(
            f"  published, with the authors' prompt and {judge}: agreement {accuracy} %, macro F1 {f1 / 100:.3f}"
        )
    return "\n".join(lines)


def say_agreement(found: Agreement, given: str, truth: str) -> list[str]:
    """The figures of one comparison, a line each, indented."""
    lines = [f"  n {found.n}, invalid {found.invalid}; agreement {percent(found.exact)}"]
    if not found.n:
        return lines
    if found.within_one is not None:
        lines[0] += f", within one {percent(found.within_one)}"
    lines.append(f"  kappa {_kappa(found)}; macro F1 {found.macro_f1:.3f}")
    lines.append(f"  bias, {given} − {truth}: {_bias(found)}")
    if found.sensitivity is not None and found.specificity is not None:
        lines.append(
            f"  says yes where {truth} do: {percent(found.sensitivity)}; "
            f"says no where {truth} do: {percent(found.specificity)}"
        )
    for label, row in found.confusion.items():
        if total := sum(row.values()):
            given_as = ", ".join(f"{name} {count}" for name, count in row.items() if count)
            lines.append(f"    {truth} {label} ({total}): {given} {given_as}")
    if found.length_given is not None:
        beside = f", of {truth} {found.length_truth:+.2f}" if found.length_truth is not None else ""
        lines.append(f"  correlation with length: of {given} {found.length_given:+.2f}{beside} (Spearman)")
    return lines


def percent(part: Share) -> str:
    """A share with its interval and counts."""
    if part.value is None or part.low is None or part.high is None:
        return "none to count"
    return f"{part.value:.1%} ({part.low:.1%} to {part.high:.1%}, {part.k} of {part.n})"


def _kappa(found: Agreement) -> str:
    if found.kappa is None:
        return f"not defined: {found.reasons.get('kappa', 'nothing to compare')}"
    value = found.kappa if found.weighted_kappa is None else found.weighted_kappa
    word = next((word for least, word in _SCALE if value >= least), "below chance")
    weighted = f", quadratic-weighted {found.weighted_kappa:.3f}" if found.weighted_kappa is not None else ""
    return f"{found.kappa:.3f}{weighted} ({word})"


def _bias(found: Agreement) -> str:
    assert found.bias is not None  # there is at least one pair
    scale, unit = (100, " points of yes-rate") if found.within_one is None else (1, "")
    text = f"{found.bias * scale:+.2f}{unit}"
    if found.bias_low is None or found.bias_high is None:
        return text
    return f"{text} ({found.bias_low * scale:+.2f} to {found.bias_high * scale:+.2f})"
