from __future__ import annotations

import pytest

from antiphon.envs.evolve.reply import LARGEST, ReplyError, read_files
from tests.envs.evolve.worlds import files_reply


def test_files_are_read_as_they_are():
    text = files_reply({"rules.md": "# Desk\n\n=> no mark\n", "dbs/main.json": "{}"})
    assert read_files(f"\n{text}\n") == {"rules.md": "# Desk\n\n=> no mark\n", "dbs/main.json": "{}\n"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the first line must be '=== NAME' of a file, and is ''"),
        ("Here you are:\n=== rules.md\nx\n=== end", "and is 'Here you are:'"),
        ("=== rules.md\nx", "the reply breaks off: '=== end' is missing"),
        ("=== rules.md\nx\n=== end\nThanks!", "nothing may follow '=== end', and line 4 does"),
        ("=== rules.md\nx\n=== rules.md\ny\n=== end", "rules.md comes twice"),
        ("=== rules.md\n\n=== end", "rules.md is empty"),
        ("=== tools.py\n```python\nx\n```\n=== end", "tools.py begins with ```"),
        (f"=== rules.md\n{'x' * (LARGEST + 1)}\n=== end", "rules.md has 200001 characters; at most 200000"),
    ],
)
def test_what_is_no_reply_is_refused_in_words_for_the_agent(text: str, words: str):
    with pytest.raises(ReplyError) as caught:
        read_files(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["../rules.md", "/etc/passwd", "dbs/../../x.json", "dbs/a/b.json", "predicates.py", "partner_tools.py", "schema.json",
     "generated.json", "tasks/.json", "lineage.jsonl", "tools.py/x", "dbs/A.JSON"],
)  # fmt: skip
def test_no_name_leads_out_of_a_domain_or_to_code_outside_the_sandbox(name: str):
    with pytest.raises(ReplyError, match="is no file of a domain"):
        read_files(f"=== {name}\nx\n=== end")
