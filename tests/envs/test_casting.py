from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.clock import RealClock, VirtualClock
from antiphon.envs.casting import Cast, Casting
from antiphon.envs.domain import Domain
from antiphon.envs.reference import ReferenceChat
from antiphon.errors import ConfigError
from antiphon.models.cascade import Cascade
from antiphon.models.ports import Done, Request, Sampling, TextDelta, is_scripted
from antiphon.models.scripted import EchoChat
from antiphon.partner.model import ModelPartner
from antiphon.partner.spoken import SpokenPartner
from antiphon.partner.user import ScriptedPartner
from tests.envs.desk import open_desk

HEARING = "cascade:?transcriber=scripted:&chat=reference:?flaw=hangs_up&synthesizer=scripted:"


@pytest.fixture
def domain(tmp_path: Path) -> Domain:
    return open_desk(tmp_path)


def test_a_reference_is_one_for_each_task_and_kept(domain: Domain):
    cast = Cast(Casting(), domain)
    task = domain.task("lend_emma")
    system = cast.system(task)
    assert isinstance(system, ReferenceChat)
    assert cast.system(task) is system
    assert cast.check(task) == ("scripted:reference", "scripted:partner")
    assert isinstance(cast.partner(task, 1), ScriptedPartner)
    assert cast.partner(task, 1) is not cast.partner(task, 1)


def test_a_reference_may_stand_behind_a_recogniser_and_a_voice(domain: Domain):
    cast = Cast(Casting(HEARING, synthesizer="scripted:", telephone=True), domain)
    task = domain.task("lend_emma")
    system, partner = cast.system(task), cast.partner(task, 1)
    assert isinstance(system, Cascade)
    assert system.parts["chat"] == "scripted:reference?flaw=hangs_up"
    assert isinstance(partner, SpokenPartner)
    assert "telephone" in partner.name
    assert is_scripted(system.name)


def test_other_systems_are_shared_and_a_partner_may_be_a_model(domain: Domain):
    cast = Cast(Casting("scripted:echo", partner="scripted:echo"), domain)
    one, other = domain.tasks
    assert cast.system(one) is cast.system(other)
    assert isinstance(cast.partner(one, 1), ModelPartner)
    assert isinstance(cast.partner(other, 1), ModelPartner)


async def test_a_model_that_plays_an_invalid_episode_again_is_not_greedy_any_more(
    domain: Domain, monkeypatch: pytest.MonkeyPatch
):
    asked: list[Sampling] = []

    async def remember(_: EchoChat, request: Request):
        asked.append(request.sampling)
        yield TextDelta("Hi.", 0)
        yield Done("stop", 0)

    monkeypatch.setattr(EchoChat, "stream", remember)
    cast, task = Cast(Casting(partner="scripted:echo"), domain), domain.task("lend_emma")
    for attempt in (0, 1):
        await cast.partner(task, 5, attempt).turn([])
    assert [each.temperature for each in asked] == [0.0, 0.7]


def test_what_cannot_play_together_is_the_users_error(domain: Domain):
    task, scriptless = domain.task("lend_emma"), domain.task("refuse_second")
    with pytest.raises(ConfigError, match="noise and telephone are for speech; add --spoken"):
        Casting(telephone=True)
    with pytest.raises(
        ConfigError, match="refuse_second has no script; name a model to play it: --partner URI"
    ):
        Cast(Casting(), domain).check(scriptless)
    with pytest.raises(ConfigError, match=r"reference: reads text only; .*cascade:\?chat=reference:"):
        Cast(Casting(synthesizer="scripted:"), domain).check(task)
    with pytest.raises(ConfigError, match="no flaw 'x'"):
        Cast(Casting("reference:?flaw=x"), domain)
    with pytest.raises(ConfigError, match="no perturbation 'rain'"):
        Cast(Casting(synthesizer="scripted:", noise=("rain:",)), domain)


def test_scripted_casts_have_the_scripts_time(domain: Domain):
    instant = Cast(Casting(), domain)
    assert isinstance(instant.clock(), VirtualClock)
    assert instant.clock() is not instant.clock()
    assert Casting("scripted:echo", "scripted:echo", "scripted:").instant
    real = Casting(HEARING)
    assert not real.instant
    assert isinstance(Cast(real, domain).clock(), RealClock)
