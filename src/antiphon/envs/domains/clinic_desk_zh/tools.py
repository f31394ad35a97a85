"""The tools of the outpatient desk. They check what exists; keeping the rules is the agent's part."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

Json = dict[str, Any]
Department = Literal["心内科", "心外科", "神经内科", "儿科", "眼科", "骨科"]


def find_patients(db: Json, phone: str) -> Json:
    """按预留手机号查就诊人。一个手机号可能有几位家人。

    参数:
        phone: 预留手机号，只有数字
    """
    shown = ("patient_no", "name", "birth_date", "no_show_dates")
    found = [
        {name: patient[name] for name in shown}
        for patient in db["patients"].values()
        if patient["phone"] == phone
    ]
    return {"patients": found} if found else {"error": f"手机号 {phone} 没有登记"}


def check_identity(db: Json, patient_no: str, name: str, id_tail: str) -> Json:
    """核对就诊人的姓名和身份证后四位。

    参数:
        patient_no: 就诊号
        name: 来电人报的就诊人姓名
        id_tail: 来电人报的身份证后四位，末位可能是 X
    """
    patient = db["patients"].get(patient_no)
    if patient is None:
        return {"error": f"没有就诊号 {patient_no}"}
    matches = patient["name"].casefold() == name.strip().casefold() and patient["id_tail"] == id_tail.upper()
    return {"matches": matches}


def find_doctors(db: Json, name: str) -> Json:
    """按姓名查医生和科室，汉字或拼音都可以。

    参数:
        name: 医生姓名或其中一部分，例如 李敏、Li Min
    """
    wanted = name.strip().casefold()
    found = [
        doctor
        for doctor in db["doctors"]
        if wanted and (wanted in doctor["name"] or wanted in doctor["pinyin"].casefold())
    ]
    return {"doctors": found} if found else {"error": f"没有医生 {name}"}


def list_sessions(db: Json, department: Department, first_date: str, last_date: str) -> Json:
    """查一个科室一段日期的出诊：医生、上午下午、号别、挂号费、余号和状态。

    参数:
        department: 科室
        first_date: 第一天，YYYY-MM-DD
        last_date: 最后一天，YYYY-MM-DD
    """
    for day in (first_date, last_date):
        if not _is_date(day):
            return {"error": f"{day} 不是 YYYY-MM-DD 格式的日期"}
    return {
        "sessions": [
            each
            for each in db["sessions"].values()
            if each["department"] == department and first_date <= each["date"] <= last_date
        ]
    }


def list_appointments(db: Json, patient_no: str) -> Json:
    """查一位就诊人的全部预约，包括过去的，状态按登记的显示。

    参数:
        patient_no: 就诊号
    """
    if patient_no not in db["patients"]:
        return {"error": f"没有就诊号 {patient_no}"}
    return {
        "appointments": [each for each in db["appointments"].values() if each["patient_no"] == patient_no]
    }


def book(db: Json, patient_no: str, session_no: str) -> Json:
    """预约一个号，返回预约号。

    参数:
        patient_no: 就诊号
        session_no: 出诊编号，例如 S101
    """
    if patient_no not in db["patients"]:
        return {"error": f"没有就诊号 {patient_no}"}
    session = db["sessions"].get(session_no)
    if session is None:
        return {"error": f"没有出诊编号 {session_no}"}
    if session["left"] < 1:
        return {"error": f"{session_no} 没有余号"}
    number = f"A{max((int(each[1:]) for each in db['appointments']), default=7000) + 1}"
    kept = ("session_no", "doctor", "department", "date", "half", "kind", "fee")
    appointment = {
        "appointment_no": number,
        "patient_no": patient_no,
        **{name: session[name] for name in kept},
        "status": "已预约",
        "paid": False,
    }
    db["appointments"][number] = appointment
    session["left"] -= 1
    return appointment


def cancel(db: Json, appointment_no: str) -> Json:
    """取消一个预约，号退回给医院。取消以后不能恢复。

    参数:
        appointment_no: 预约号，例如 A7003
    """
    appointment = db["appointments"].get(appointment_no)
    if appointment is None:
        return {"error": f"没有预约号 {appointment_no}"}
    if appointment["status"] != "已预约":
        return {"error": f"{appointment_no} 的状态是{appointment['status']}"}
    appointment["status"] = "已取消"
    session = db["sessions"].get(appointment["session_no"])
    if session is not None:
        session["left"] += 1
    return {"appointment_no": appointment_no, "status": "已取消"}


def join_waitlist(db: Json, patient_no: str, session_no: str) -> Json:
    """登记候补：有人退号时按顺序补上。

    参数:
        patient_no: 就诊号
        session_no: 出诊编号，例如 S101
    """
    if patient_no not in db["patients"]:
        return {"error": f"没有就诊号 {patient_no}"}
    if session_no not in db["sessions"]:
        return {"error": f"没有出诊编号 {session_no}"}
    number = f"W{len(db['waitlist']) + 501}"
    db["waitlist"][number] = {"patient_no": patient_no, "session_no": session_no}
    return {"waitlist_no": number}


def change_phone(db: Json, patient_no: str, new_phone: str) -> Json:
    """修改就诊人的预留手机号。

    参数:
        patient_no: 就诊号
        new_phone: 新手机号，11 位数字
    """
    if patient_no not in db["patients"]:
        return {"error": f"没有就诊号 {patient_no}"}
    if len(new_phone) != 11 or not new_phone.isdecimal():
        return {"error": f"{new_phone} 不是 11 位手机号"}
    db["patients"][patient_no]["phone"] = new_phone
    return {"patient_no": patient_no, "phone": new_phone}


def send_directions(db: Json, patient_no: str) -> Json:
    """给就诊人的预留手机号发一条来院路线短信。

    参数:
        patient_no: 就诊号
    """
    if patient_no not in db["patients"]:
        return {"error": f"没有就诊号 {patient_no}"}
    db["sent_directions"].append(patient_no)
    return {"sent": True}


def _is_date(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True
