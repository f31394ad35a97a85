"""`antiphon`: the verbs, imported one at a time; errors in one line; exit 2 for the user's, 1 for failure."""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module

import click

from antiphon import __version__
from antiphon.errors import AntiphonError, ConfigError

# verb → (module, what it does); the module's `command` is imported when the verb is used.
VERBS = {
    "run": ("antiphon.cli.run", "Perform a benchmark with a system and score it."),
    "score": ("antiphon.cli.score", "Score a kept run again, or outputs made elsewhere."),
    "judge": ("antiphon.cli.judge", "Judge a kept run; measure a judge; rate replies by hand."),
    "report": ("antiphon.cli.report", "Show a run's report."),
    "compare": ("antiphon.cli.compare", "Set two runs side by side; exit 1 on a regression."),
    "perturb": ("antiphon.cli.perturb", "Write a sound file under noise, reverberation, loss and the like."),
    "create": ("antiphon.cli.create", "Make a spoken dataset of your own from questions and answers."),
    "leaderboard": ("antiphon.cli.leaderboard", "Set runs beside the published numbers of a suite."),
    "serve": ("antiphon.cli.serve", "Talk with an agent in the browser, or with any Realtime client."),
    "envs": ("antiphon.cli.envs", "Check executable domains and their tasks."),
    "realtime": ("antiphon.cli.realtime", "Measure a turn policy in virtual time; replay a session."),
    "models": ("antiphon.cli.models", "List what can be named by a URI, or check one."),
    "weights": ("antiphon.cli.weights", "Fetch, list and verify weight files."),
    "doctor": ("antiphon.cli.doctor", "What works on this machine, and what brings the rest."),
    "completion": ("antiphon.cli.completion", "Print the shell completion script."),
}


_GO_ON = "finished work is kept; the same command goes on (`antiphon run`: with --resume)"


class LazyGroup(click.Group):
    """A group that knows its verbs by table, so that `--help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command = import_module(VERBS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(verb, what) for verb, (_, what) in VERBS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            raise click.UsageError(f"no verb {args[0]!r}; there are: {', '.join(VERBS)}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="antiphon", message="%(prog)s %(version)s")
def group() -> None:
    """Measure, run and train real-time voice agents.

    Start with `antiphon run`: it evaluates the embedded voice agent and writes a report.
    """


def main(args: list[str] | None = None) -> None:
    """The console script. Exits 0, 1 (failure), 2 (the request cannot be met) or 130 (Ctrl-C)."""
    try:
        code = group.main(args, prog_name="antiphon", standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.ClickException as error:
        click.echo(_complaint(error), err=True)
        code = error.exit_code
    except AntiphonError as error:
        click.echo(f"antiphon: {error}", err=True)
        code = 2 if isinstance(error, ConfigError) else 1
    except (KeyboardInterrupt, click.Abort):
        click.echo(f"antiphon: stopped; {_GO_ON}", err=True)
        code = 130
    except OSError as error:
        _leave_output()
        if error.errno != errno.EPIPE:  # who closed the pipe, as `head` does, has read enough
            click.echo(f"antiphon: {error.filename or 'the output'}: {error.strerror}", err=True)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _complaint(error: click.ClickException) -> str:
    """What click found wrong with the arguments, in one line with the next step."""
    said = error.format_message().rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"antiphon: {said}" + (
        f"; {context.command_path} --help tells more" if context is not None else ""
    )


def _leave_output() -> None:
    """Let go of an output that takes no more, so that the interpreter does not try it again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
