from __future__ import annotations

import pytest

from antiphon.errors import ConfigError
from antiphon.realtime.policy.policies import POLICIES, policy_named


def test_every_policy_has_its_name():
    assert {name: policy_named(name).name for name in POLICIES} == {name: name for name in POLICIES}


def test_an_unknown_policy_lists_the_choices():
    with pytest.raises(
        ConfigError,
        match="no turn policy 'x'; there are: always-answer, default, never-answer, scores, semantic",
    ):
        policy_named("x")
