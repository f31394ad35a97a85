"""Forms of speech to an assistant: what is asked of it, what people want to know, how they correct what it said.

Rows as in `forms`, with weights below zero: they count where something else says that the words are for a person.
"""

from __future__ import annotations

from antiphon.realtime.policy.forms import compiled

FOR_AGENT = compiled(
    (
        (
            "asks it of an assistant",
            -3.0,
            r"^\W*(?:(?:please|okay|ok|and|now|then|so|can you|could you|would you|will you|just|also|no|wait|actually|thanks)\W+)*(?:look up|search|translate|calculate|convert|compare|recommend|suggest|summari[sz]e|explain|describe|list|spell|define|write|draft|help me (?:with|to|find|write|understand|plan|choose)|remind me|book|play(?! (?:with|outside|nice))|schedule|tell me|email|navigate|repeat|rephrase|let's go with|find me|give me (?:an?|the|some|more|another|only|just)(?! (?:hand|lift|ride|hug|kiss|cuddle|push|bite|sip|bit of)))\b"
            r"|\b(?:remind me|keep it (?:short|brief|simple)|turn (?:that|this|it) into)\b|(?:^|[,.] |\b(?:can|could|will|would) you |\bplease |\bthen )(?:(?:call|ring|phone|text|message|email) (?!me\b|you\b|back\b)(?:the |my )?\w+(?: for me\b| that\b|\W*$))",
            r"(?:帮我|请你?|麻烦你?|给我|能不能|可以|你)(?:再|先|也|重新|另外)?(?:查|搜|算|翻译|推荐|比较|总结|解释|介绍|讲|说|提醒|订|播放|播|列|写|找|设|导航|告诉|念)"
            r"|^\W*(?:请|再|好，?)?(?:给我|帮我)?(?:预?订|叫|约)(?:一|个|辆|张|两|明|今|后)|保存|记下|提醒我|(?:帮我|请|麻烦你?)?给(?!我|你|您)[^，。]{1,5}(?:打个?电话|发(?:一?条|个)?(?:消息|信息|短信|微信|邮件))"
            r"|(?:^|，)(?:说(?:个|短|简|重|一下|得)|教我|就?要便宜|放(?:点|首|些)[^，。]{0,3}(?:音乐|歌))|放(?:点|首|些)(?:音乐|歌)|[我咱]们?[^，。]{0,4}要[一两][^，。]{0,3}桌",
        ),
        (
            "asks for advice",
            -1.5,
            r"^\W*(?:\w+,? )?why (?:do|does|did|is|can't|won't)\b|\bhow (?:to|(?:do|can|could|should|would) (?:i|we|you))\b|\b(?:what|which|where|when|who) (?:else )?(?:should|can|could|do) (?:i|we)\b|\bwhat else\b|\bany (?:ideas|tips|advice|suggestions)\b|^\W*should (?:i|we)\b|\bis it (?:okay|ok|safe|normal|possible|allowed|worth)\b|\bdo (?:i|we) (?:need|have)\b|\bsee a doctor\?"
            r"|\b(?:for|in|into) (?:spanish|french|german|italian|chinese|mandarin|japanese|korean|english)\b",
            r"(?<!你)(?<!您)怎么(?!了|还|又|这么|才|不|样)[^，。]{1,6}[？?。]|怎么办|为什么(?!你)|什么办法|什么意思|能一起|(?:该|要)找谁|(?:什么|哪[个种家])[^，。？]{0,5}[好行]|能(?:吃|喝|放|用|带)[^你，。]{0,6}[吗？?]|(?:要|需要)看医生|用[^，。]{1,4}语",
        ),
        (
            "asks for facts",
            -1.0,
            r"\b(?:for|about|after|before|without|instead of|of|in|on) (?:that|it|this)\W*$|\bdoes (?:it|the [\w']+) (?:have|need) to\b|\bsupposed to\b|\bopen (?:late|on|until|till|at|today|tomorrow)\b|\bstill open\b|^\W*(?:\w+,? )?(?:how (?:often|many|far|does|did)|how long (?!have you)|what(?:'s| is) (?:an?|the (?:best|difference|easiest|point)))\b"
            r"|\bdoes (?:that|it) (?:matter|count|change|apply|include|mean)\b|\b(?:what|how) about\b|\bnext one\b|\bwho (?:won|wrote|built|invented|painted|ordered it)\b",
            r"(?:要|需要|得|必须)先[^，。]*[吗么？?]|哪儿?里?取|开到几|几点[开关]|还开着吗|那[^，。]{1,6}呢|下一(?:班|个|趟)[^，。]*[？?]|多久[^了]?[一浇煮洗换]|(?:要|得)[^，。]{1,3}多(?:久|少)",
        ),
        (
            "asks for its source",
            -3.0,
            r"\bwho (?:told|taught) you\b|\bwhere (?:did|do|have) you (?:get|got|hear|heard|read|find|found) (?:that|this|it|those|these)\b|\bhow do you know (?:that|this|all)\b|\bwhat's your source\b",
            r"谁(?:告诉|教)你的|(?:哪儿?|哪里)(?:看来|听来|查到|得来|看到|听说)的?|你怎么知道的?[？?]|(?:来源|出处)是",
        ),
        (
            "corrects what it said",
            -1.0,
            r", not (?:the |an? |on |in |at |just )?\w+(?: \w+)?\W*$",
            r"[，,]不是[^，。]{1,6}[。]?$|^(?:不是|不对)",
        ),
    )
)
