"""Forms of speech between people: what they say of themselves, of each other and of what is around them.

Each row is what the form shows, how much it says that the words are for somebody else than the agent (`addressing` sums
the weights), and the form in English and in Mandarin. Forms are of the languages; none is an utterance of the sets.
"""

from __future__ import annotations

import re

_FORMS: tuple[tuple[str, float, str, str], ...] = (
    (
        "speaks to several",
        2.0,
        r"\byou (?:guys|two|all|both|lot|folks)\b|\bboth of you\b|^\W*every(?:body|one)\b,"
        r"|^\W*(?:\w+\W+)?(?:can|could|will|would) (?:someone|somebody|anyone|anybody|one of you)\b",
        r"谁(?:去|来|帮|能|给)|你们|你俩|^各位|^大家",
    ),
    (
        "says where the speaker will be",
        1.5,
        r"\bi(?:'ll| will|'m| am|'ve| just)? ?(?:just |almost |nearly |be |still |right )*(?:coming|got home|got back|home|leaving|in the (?:kitchen|bathroom|shower|garden|car|bath|middle of)|down|there|over|out|off|ready|on my way|with you|(?:right |straight )?back)\b"
        r"|\bbe (?:right )?(?:there|down|back|over|with you)\b"
        r"|\b(?:almost|nearly|just about) (?:done|ready|finished)\b",
        r"刚到家|我(?:马上|这就|就|现在|一会儿?|等会儿?|很快|先|正)+(?:要|去|出|下|上|过|回|到|来|走|开|忙|弄|做)"
        r"|(?:马上|这就)(?:来|去|好|到|下来|过去|出来)|就(?:来|去|下来|过去|出来)[了啦]?(?:$|[，。！,!])",
    ),
    (
        "plans with somebody",
        1.0,
        r"\b(?:we|we're|we'll|let's|shall we)\b(?: \w+){0,3} (?:go|going|leave|leaving|eat|late|meet|head|start|out|need|get|drive|ready|tonight|dinner|lunch)\b",
        r"(?:我们|咱们|咱俩|咱)[^，。？！,]{0,6}(?:走|去|吃|出门|出发|回家|迟到|来不及|买|等)",
    ),
    (
        "minds somebody's steps",
        1.5,
        r"(?:^\W*|[,.!?]\s*|\b(?:and|but|just|please) )(?:don't forget|make sure|remember to|mind the|mind your|watch (?:out|your|it)|careful|hurry(?: up)?|come on|get (?:up|in|down|off|ready)|stay (?:there|here|put)|don't (?:touch|run|move|worry|let|put|leave|open|eat))\b",
        r"别忘了?|记得|小心|当心|慢走|别碰|别动|别跑|别闹|看着点|快去|快来|快[下上过进出]来|赶紧|乖",
    ),
    (
        "greets or parts",
        2.0,
        r"\b(?:bye|goodbye|welcome|come on in|come in(?=\W*$|[,.!])|see you|nice to (?:see|meet) you|good night|thanks for coming|you're (?:back|home|early|late)|(?:have|take) a seat|(?:for|keep you|kept you) waiting)\b",
        r"请进|请坐|坐吧|久等|回聊|进来|欢迎|再见|拜拜|回来[了啦]|来[了啦]|辛苦了|晚安"
        r"|(?:一会儿?|待会儿?|等会儿?|明天|晚上|下午|早上|家里|那边|回头|到时候?|楼下|周.|下周)见",
    ),
    (
        "speaks of a call",
        3.5,
        r"\b(?:can't talk (?:right )?now|(?:call|ring|phone|text|message) (?:(?:you|me|him|her|them) )?(?:back|later|in an?)|on the phone|on a call|in a meeting)\b",
        r"打(?:着|个)?电话|(?:回|给)(?:你|您)?(?:个)?电话|打回去|打过去|给[你您]打|在开会|开着会",
    ),
    (
        "thanks or eases somebody",
        1.5,
        r"\b(?:thank you|thanks|cheers|ta|no (?:worries|problem|rush)|my pleasure|you're welcome|don't mention it|never mind|excuse me|pardon me)\b",
        r"不客气|没关系|没事儿?|不着急|劳驾|^您好|谢谢|多谢|借过|让一下",
    ),
    (
        "speaks to who can be seen",
        2.0,
        r"\byou(?:'ve)? (?:look(?! (?:up|for|at|into))|forgot|left (?:the|your|it)|dropped|spilled|broke|missed|scared|woke)\b"
        r"|^\W*hey you\b|\b(?:what are you|you're) doing (?:up|here|there|in)\b|\bwait for (?:me|us)\b"
        r"|\blook (?:at (?:you|this mess|the mess|what)|what you)\b"
        r"|\bcan you (?:hear|see|smell) (?:the|that)\b",
        r"[你您](?:又|是不是)?(?:忘[了带]?|弄得|弄坏|弄丢|看起来|看上去)|看[你您]|在[^，。]{1,5}等[我着]|还不睡|不方便说话|过得怎么样|上[班学]怎么样",
    ),
    (
        "speaks of somebody they know",
        1.0,
        r"\b(?:my|your|our|the) (?:mom|mum|dad|mother|father|sister|brother|wife|husband|son|daughter|boss|doctor|teacher|neighbou?rs?|kids|grandma|grandpa|aunt|uncle|plumber|landlord)\b",
        r"我(?:妈|爸|哥|姐|弟|妹|老婆|老公|同事|儿子|女儿)|^(?:医生|老师|老板|房东|邻居)|[跟和对][你您](?:怎么)?说的",
    ),
    (
        "sees to the house",
        1.0,
        r"\b(?:out of|any|some|more) (?:more )?(?:milk|bread|coffee|tea|sugar|eggs|rice|toilet paper|juice|butter|cake|wine|beer)\b"
        r"|\blet (?:the|him|her|them)[^.,!?]* (?:out|in)\b",
        r"家里|咱家|楼[上下]又|再来点|还有(?:咖啡|茶|牛奶|饭|菜|酒)",
    ),
    (
        "shares out the chores",
        2.0,
        r"\bwho's (?:picking|taking|getting|cooking|driving|bringing|feeding|watching the)\b",
        r"谁(?:去接|做饭|洗碗|倒垃圾|买菜|开车)",
    ),
    (
        "shows the way",
        1.25,
        r"\bturn (?:left|right)\b|\bpull over\b",
        r"左转|右转|掉头|靠边",
    ),
    (
        "speaks of a meal",
        1.5,
        r"\bwhat's for (?:breakfast|lunch|dinner|supper|tea|dessert|pudding)\b"
        r"|\b(?:breakfast|lunch|dinner|supper) (?:is |will be |'s )?(?:almost |nearly )?(?:ready|served|on the table)\b"
        r"|\bhelp yourself\b",
        r"吃(?:什么|啥|点什么|了没)|(?:开|吃)饭(?:了|啦|吧)|趁热",
    ),
    (
        "praises a child or sends it off",
        1.5,
        r"\bgood (?:girl|boy|lad|dog)\b|\boff you go\b|\brun along\b|\b(?:there|here) you (?:go|are)\b",
        r"真乖|去吧|给你[，。！]|拿着",
    ),
    (
        "wants somebody's doing stopped",
        2.5,
        r"\bstop (?!(?:talking|speaking|saying|reading|explaining|going|listing|rambling|playing|telling|answering|interrupting|repeating|responding|narrating)\b)\w+ing\b",
        r"别再?(?:踢|跑|闹|碰|哭|抢|打[他她人我你]|咬|玩|摸|爬|扔|推|挤|插队|吵醒|乱动|乱跑)",
    ),
    (
        "orders something",
        1.5,
        r"^\W*(?:(?:hi|hello|just|can i get|could i have|i'll have|i'd like|and|yeah|yes|okay)\W+)*(?:an?|one|two|three|four) (?!more|moment|second|minute|bit|little|time|question)[^.?!]*\bplease\b"
        r"|^\W*i'll have (?:the|an?)\b",
        r"^(?:来|要)?[一两三四](?:杯|份|个|碗|瓶|碟|张)|^来[一两三四]?[杯份碗瓶碟点]",
    ),
    (
        "has somebody told",
        3.0,
        r"\b(?:tell|ask|remind|give|show|let|help) (?:her|him|them)\b|\bsay (?:hi|hello) to\b",
        r"(?:跟|和|向|替我跟|告诉|叫|让|喊|帮|给)(?:他|她)(?:们)?(?:说|讲|问|来|等|去|打|拿|送|留|带|倒|买|看)",
    ),
    (
        "asks whether a place is free",
        1.5,
        r"\b(?:this|that) (?:seat|chair|spot|table|one) (?:taken|free)\b",
        r"(?:这|那)(?:儿|里|边)?(?:个位置|位子|座位)?有人",
    ),
    (
        "points at a place",
        0.5,
        r"\b(?:over (?:there|here)|in (?:there|here)|up there|down there|outside|upstairs|downstairs|next to|on top of|behind|at the door)\b",
        r"那边|这边|这儿|那儿|外面|里面|旁边|楼上|楼下|门口|后面|底下",
    ),
)

AMONG_PEOPLE = tuple(
    (what, weight, re.compile("|".join(form for form in (english, mandarin) if form), re.IGNORECASE))
    for what, weight, english, mandarin in _FORMS
)
