"""来电人自己能做的事：在医院App上缴费。"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def pay_in_app(db: Json, phone: str) -> Json:
    """在医院App上缴清这个手机号名下未缴的挂号费。

    参数:
        phone: 预留手机号，只有数字
    """
    family = {each["patient_no"] for each in db["patients"].values() if each["phone"] == phone}
    unpaid = [
        each
        for each in db["appointments"].values()
        if each["patient_no"] in family
        and each["status"] == "已预约"
        and not each["paid"]
        and each["date"] >= db["current_date"]
    ]
    if not unpaid:
        return {"error": "没有要缴的费用"}
    for each in unpaid:
        each["paid"] = True
    return {"paid": sum(each["fee"] for each in unpaid)}
