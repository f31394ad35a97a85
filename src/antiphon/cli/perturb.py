"""`antiphon perturb`: a sound file as a recipe leaves it."""

from __future__ import annotations

from pathlib import Path

import click

from antiphon.cli import options


@click.command(name="perturb")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--recipe", "recipes", metavar="TEXT", multiple=True, required=True,
    help="Such as white_noise:snr_db=5 or reverberation:rt60_s=0.5; several are applied in turn.",
)  # fmt: skip
@options.NOISE
@click.option("--seed", default=0, show_default=True)
@options.JSON
def command(
    source: Path, target: Path, recipes: tuple[str, ...], noise: Path | None, seed: int, as_json: bool
) -> None:
    """Write IN as OUT (wav, flac, ogg or mp3) under noise, reverberation, loss or another perturbation.

    white_noise:snr_db, background_noise:snr_db,noise=babble|street, reverberation:rt60_s,distance_m,
    far_field:cutoff_hz, packet_loss:share,mean_burst, clipping:threshold.
    """
    from dataclasses import replace

    from antiphon.audio.background import open_corpus
    from antiphon.audio.files import read, write
    from antiphon.audio.perturb import BackgroundNoise, apply, from_text, to_row, to_text
    from antiphon.errors import ConfigError
    from antiphon.jsonl import dumps

    corpus = open_corpus(noise) if noise else None
    chosen = [from_text(text) for text in recipes]
    if corpus:
        chosen = [
            replace(one, noise=corpus.name) if isinstance(one, BackgroundNoise) else one for one in chosen
        ]
    clip = read(source)
    for recipe in chosen:
        try:
            clip = apply(recipe, clip, seed, corpus)
        except ValueError as error:
            raise ConfigError(f"{source}: {to_text(recipe)}: {error}") from None
    write(target, clip)
    if as_json:
        row = {"out": str(target), "duration_s": clip.duration_s, "rate_hz": clip.rate_hz, "seed": seed}
        click.echo(dumps({**row, "recipes": [to_row(recipe) for recipe in chosen]}))
        return
    said = " then ".join(to_text(recipe) for recipe in chosen)
    click.echo(f"{target}: {clip.duration_s:.2f} s at {clip.rate_hz} Hz, {said}, seed {seed}")
