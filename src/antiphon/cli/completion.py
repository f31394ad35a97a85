"""`antiphon completion`: the script that teaches a shell the verbs and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from antiphon.errors import unknown


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL.

    bash:  eval "$(antiphon completion bash)"
    """
    from antiphon.cli.main import group

    found = get_completion_class(shell)
    if found is None:
        raise unknown("shell", shell, ("bash", "zsh", "fish"))
    click.echo(found(group, {}, "antiphon", "_ANTIPHON_COMPLETE").source())
