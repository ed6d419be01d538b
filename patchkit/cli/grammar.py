"""`patchkit grammar`: the definition of the language, as this installation parses it."""

from __future__ import annotations

import click


@click.command()
@click.option(
    "--for-model", is_flag=True, help="The narrower grammar a runtime hands to a model API as a tool grammar."
)
def grammar(for_model: bool) -> None:
    """Print the grammar of the patch language (Lark notation)."""
    from patchkit.language import _grammar_text

    click.echo(_grammar_text.FOR_MODEL if for_model else _grammar_text.SOURCE, nl=False)
