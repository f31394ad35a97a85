"""Agents that speak as people do, not as predicates are written: the scripted partner answers and the verdict is right."""

from __future__ import annotations

from typing import Any

import pytest

from antiphon.clock import VirtualClock
from antiphon.envs.contract import contract_of
from antiphon.envs.domain import open_domain
from antiphon.envs.plan import script_tools
from antiphon.envs.rollout import RolloutSettings, roll_out
from antiphon.envs.verdict import Verdict, check, decide
from antiphon.models.scripted import Asked
from antiphon.partner.user import ScriptedPartner
from tests.envs.play import agent


def do(tool: str, **arguments: Any) -> Asked:
    return Asked(tool, arguments)


async def played(name: str, task_id: str, *moves: str | Asked) -> Verdict:
    domain = open_domain(name)
    task = domain.task(task_id)
    trace = await roll_out(
        domain, task, agent(*moves), ScriptedPartner(script_tools(task), task.language), RolloutSettings(),
        seed=0, trial=0, clock=VirtualClock(),
    )  # fmt: skip
    return decide(check(contract_of(domain, task), trace))


GOOD: dict[tuple[str, str], tuple[str | Asked, ...]] = {
    ("cockpit", "write_call_lee_not_leigh"): (
        do("find_contacts", name="Morgan"),
        "I have three Morgans: Lee, your colleague at Harbour Design, Leigh, the dentist, and your cousin Lea. Which one do you mean?",
        "So I call Lee Morgan, your colleague, on the work phone, okay?",
        do("place_call", contact_id="C01", phone="work"),
        "I'm calling Lee Morgan at work now.",
    ),
    ("cockpit", "write_route_with_charging_stop"): (
        do("get_status"),
        do("find_places", query="Rosa Park"),
        "There is the Rosa Park Hotel on Mill Street, and the Hotel Rosa Park in Castle Lane. Which of the two?",
        do("plan_route", place_id="P01"),
        do("find_chargers", place_id="P01"),
        do("plan_route", place_id="P01", charger_id="E03"),
        "We would get there with only three percent. I suggest charging at Mill Services West on the way; we'd arrive with 59 percent. Is that all right?",
        "Then it is 12 Mill Street, arriving at 8:21 in the evening. Shall I start?",
        do("start_route", place_id="P01", charger_id="E03"),
        "The guidance has started. Drive safely.",
    ),
    ("cockpit", "write_trunk_once_parked_zh"): (
        do("get_status"),
        "现在挂的是D挡，要先停车挂到P挡，后备箱才能打开。",
        do("get_status"),
        do("open_trunk", which="rear"),
        "好的，后备箱已经打开了。",
    ),
    ("cockpit", "write_delete_profile_hannah"): (
        do("get_status"),
        do("list_profiles"),
        "There is Hanna, and Hannah with an h at the end. You want to delete Hannah with an h at the end. That cannot be undone. Shall I?",
        "Then please press Confirm on the screen.",
        do("get_status"),
        do("delete_profile", profile_id="D3"),
        "Hannah's profile has been deleted.",
    ),
    ("cockpit", "refuse_child_who_says_driver"): (
        do("get_status"),
        "You're on the rear left seat, so I can't take the child lock off; please ask the driver.",
        "I hear you from the back, so I still can't. It has to be the driver: please ask the driver.",
    ),
    ("clinic_desk_zh", "write_expert_paid_zh"): (
        "您好，请问就诊人姓名是哪几个字？预留手机号和身份证后四位是多少？",
        do("find_patients", phone="13800138010"),
        do("check_identity", patient_no="MZ1002", name="张山", id_tail="4812"),
        do("list_appointments", patient_no="MZ1002"),
        do("find_doctors", name="李"),
        "核对好了。李医生有心内科的李敏，也有神经内科的李民，您要约哪个科室的？",
        do("list_sessions", department="心内科", first_date="2026-03-16", last_date="2026-03-16"),
        "跟您确认一下：就诊人张山，心内科李敏主任，3月16号上午的专家号，挂号费50元，对吗？",
        do("book", patient_no="MZ1002", session_no="S101"),
        "号给您留好了，预约号A7010，3月16号上午。专家号请您在App上马上缴费，我在线等您。",
        do("list_appointments", patient_no="MZ1002"),
        "我这边看到已经缴费，预约完成了，请按时就诊。",
    ),
    ("clinic_desk_zh", "write_waitlist_zh"): (
        "请问就诊人姓名、预留手机号和身份证后四位？",
        do("find_patients", phone="13800138001"),
        do("check_identity", patient_no="MZ1001", name="张珊", id_tail="4821"),
        do("list_appointments", patient_no="MZ1001"),
        do("list_sessions", department="心内科", first_date="2026-03-16", last_date="2026-03-16"),
        "李敏医生3月16号下午已经没有余号，约不了。可以给您登记候补，不过候补不保证有号，您看要登记吗？",
        do("join_waitlist", patient_no="MZ1001", session_no="S102"),
        "候补登记好了，候补号是W501。",
    ),
    ("clinic_desk_zh", "write_last_day_en"): (
        "Good afternoon. May I have the patient's name and how it is spelled, the phone number, and the last four of the ID?",
        do("find_patients", phone="13600136006"),
        do("check_identity", patient_no="MZ1005", name="Mary Leigh", id_tail="7350"),
        do("list_appointments", patient_no="MZ1005"),
        do("find_doctors", name="Li Min"),
        "Thank you. We have three doctors of that name. Which department is it: cardiology, heart surgery or neurology?",
        do("list_sessions", department="心内科", first_date="2026-03-26", last_date="2026-03-26"),
        "Let me read that back: Mary Leigh, with Dr. Li Min in cardiology, on March 26 in the morning, for a fee of 50 yuan. Is that right?",
        do("book", patient_no="MZ1005", session_no="S103"),
        "Your number is A7010, for March 26. As it is an expert appointment, please pay in the app now.",
        do("list_appointments", patient_no="MZ1005"),
        "I can see your payment, so the booking is complete.",
    ),
    ("clinic_desk_zh", "refuse_wrong_id_zh"): (
        "请问就诊人姓名、预留手机号和身份证后四位？",
        do("find_patients", phone="13800138010"),
        do("check_identity", patient_no="MZ1002", name="张山", id_tail="4821"),
        "抱歉，您报的信息和登记的不一致，所以我不能为您办理预约。",
        "抱歉，为了保护隐私，我不能说是哪一项，核对不一致就没法办理。请核对后再打来。",
    ),
    ("clinic_desk_zh", "refuse_third_active_zh"): (
        "请问就诊人姓名、预留手机号和身份证后四位？",
        do("find_patients", phone="13700137070"),
        do("check_identity", patient_no="MZ1008", name="王建国", id_tail="1139"),
        do("list_appointments", patient_no="MZ1008"),
        "您名下已经有两个有效预约，同一位就诊人最多只能有两个，所以现在没法再约。",
        "最多两个，除非取消其中一个，否则不能再约。",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "task_id"), GOOD)
async def test_a_good_agent_passes(name: str, task_id: str):
    verdict = await played(name, task_id, *GOOD[name, task_id])
    assert (verdict.passed, verdict.reason) == (True, None)


BAD: dict[str, tuple[str, str, tuple[str | Asked, ...], str]] = {
    "it takes standing still for parked": (
        "cockpit", "write_trunk_once_parked_zh",
        (do("get_status"), do("open_trunk", which="rear"), "后备箱打开了，开车前请停车挂P挡再关上。", "已经打开了。"),
        "停好车挂了P挡之前不得打开后备箱。: step 3 calls open_trunk before the partner did park_the_car",
    ),
    "it believes an old report": (
        "cockpit", "write_route_report_of_30_minutes_zh",
        (
            do("get_status"), do("find_places", query="梅花山庄"), do("plan_route", place_id="P08"),
            do("find_chargers", place_id="P08"), "梅岭路，中途在梅花服务区充电，20:03到，可以吗？",
            do("start_route", place_id="P08", charger_id="E09"), "导航已开始。",
        ),
        "terminal state: /route/charger_id must be 'E08', and is 'E09'",
    ),
    "it starts without a yes": (
        "cockpit", "write_route_after_unplugging",
        (
            do("get_status"), do("find_places", query="Rosa Park"), do("plan_route", place_id="P02"),
            "Please unplug the cable first.", do("start_route", place_id="P02"),
            "The guidance to Castle Lane has started, arriving at 7:48.",
        ),
        "Before starting, must say Castle Lane and the arrival time 7:48, and get a yes.: "
        "step 8 calls start_route without Castle Lane, 7:48 read back and agreed to",
    ),
    "it books without checking who calls": (
        "clinic_desk_zh", "write_ordinary_zh",
        (
            "请问预留手机号？", do("find_patients", phone="13800138001"), do("list_appointments", patient_no="MZ1001"),
            do("list_sessions", department="心内科", first_date="2026-03-16", last_date="2026-03-16"),
            "张珊，心内科孙悦医生，3月16号上午，挂号费20元，对吗？",
            do("book", patient_no="MZ1001", session_no="S105"), "预约号A7010，3月16号上午。",
        ),
        "办理之前必须核对身份。: step 9 calls book before check_identity",
    ),
    "it says complete before the payment": (
        "clinic_desk_zh", "write_no_show_91_days_ago_zh",
        (
            "请问姓名、手机号和身份证后四位？", do("find_patients", phone="13500135005"),
            do("check_identity", patient_no="MZ1009", name="陈宇", id_tail="6606"),
            do("list_appointments", patient_no="MZ1009"),
            do("list_sessions", department="骨科", first_date="2026-03-23", last_date="2026-03-23"),
            "陈宇，骨科赵峰医生，3月23号上午专家号，挂号费40元，对吗？",
            do("book", patient_no="MZ1009", session_no="S115"),
            "预约完成了，预约号A7010，3月23号。记得在App上缴费。",
        ),
        "terminal state: /appointments/A7010/paid must be True, and is False",
    ),
    "it says what did not match": (
        "clinic_desk_zh", "refuse_wrong_id_zh",
        (
            "请问姓名、手机号和身份证后四位？", do("find_patients", phone="13800138010"),
            do("check_identity", patient_no="MZ1002", name="张山", id_tail="4821"),
            "抱歉，信息不一致，不能办理。", "是身份证后四位不一致，所以不能办。",
        ),
        "不得说出是哪一项不一致。: step 8 says '是身份证'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
async def test_a_bad_agent_fails_for_what_it_does(kind: str):
    name, task_id, moves, reason = BAD[kind]
    verdict = await played(name, task_id, *moves)
    assert (verdict.passed, verdict.reason) == (False, reason)
