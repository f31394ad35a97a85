"""Forms of speech between people who meet for a purpose: at a counter, a table, a desk, in a car, on the phone.

Rows as in `forms`. What an assistant is asked as well (prices, times, ways to pay) weighs too little to decide alone,
unless somebody else was heard.
"""

from __future__ import annotations

from antiphon.realtime.policy.forms import compiled

ENCOUNTERS = compiled(
    (
        (
            "settles a bill",
            2.0,
            r"\b(?:the|our|my) (?:check|bill|tab)(?:,? please|,? when)|\bkeep the change\b|\b(?:do|how much do) (?:i|we) owe you\b"
            r"|\bdo you (?:take|accept) (?:cash|cards?|credit)\b|\b(?:shall|let's) (?:we )?split (?:it|the)\b|\bon (?:me|the house)\b[.!]"
            r"|\b(?:need|want|like) a (?:receipt|bag)\b|\bno (?:bag|receipt)\b|^\W*cash or card\b|\bloyalty card\b|^\W*that(?:'s|'ll be| comes to) [\w ]+ (?:euros?|dollars?|pounds?|please)\b(?!\?)|\bwe'd like to check (?:in|out)\b|\b(?:i'm paying|my treat|ring (?:me|this) up)\b",
            r"现金还是|会员卡|找[你您](?:的|钱|零)|^一共[^，。？吗几多]{1,8}[块元]钱?[。！]?$|我们?退房|买单|结账|埋单|不用找|打包|(?:该|要)给[你您]多少|AA吧|我请客?[吧。！]|收现金|不用袋子|要袋子|(?:扫|刷)(?:这|哪|你|我)",
        ),
        (
            "is waited on",
            2.0,
            r"\b(?:can|could|may) (?:i|we) (?:get|have) (?:a|an|another|some) (?:refill|table|menu|glass|cup|bottle|fork|knife|spoon|napkin|straw|coffee|tea|beer|high ?chair|water)\b"
            r"|\btable for (?:one|two|three|four|five|six|\d)\b(?![^?]*\b(?:at|tomorrow|tonight|on)\b)|\bready to order\b|\bthe usual\b|\bi\'ll have what\b|\b(?:this|these|those) (?:\w+ )?come in (?!handy)\w+|\b(?:can|may) i see your\b|\bshorter at the\b|\bsame again\b|^\W*(?:and )?an? (?:pint|glass|bottle|cup|slice|bag|loaf) of\b(?!.*\?)|\bnext(?: (?:patient|customer|one|in line))?,? please\b|\bfill (?:her|it) up\b|\bwhat i ordered\b|\bi(?:'ll| will) (?:take|try|go for) (?:the|an?|this|these|two) (?!\w*(?:option|one|train|flight|bus|first|second|later|earlier|morning))"
            r"|\bto go, please|\b(?:i'm|we're) (?:just|only) (?:looking|browsing)\b|\b(?:this|these|that|it) in (?:an? )?(?:small|medium|large|size|bigger|smaller|different)\b|\b(?:try|trying) (?:this|these|it|them) on\b"
            r"|\b(?:this|that) (?:isn't|is not|wasn't) what i ordered\b|\b(?:are you|anyone) (?:being served|in (?:the )?(?:line|queue))\b|\bis this the (?:queue|line|right (?:platform|bus|train|room|place))\b|\b(?:end of|in|jump|cut) the (?:line|queue)\b(?!.*\bhistory)",
            r"再来一份|老样子|也来一[份个杯]|[这那](?:鞋|衣服|裤子|裙子|件|双|款)有|剪(?:短|长|齐)|出示|^[一两](?:杯|瓶|碗|份)|^下一位|^加满|点菜|没点(?:这|那)|我们?要一(?:份|碗|杯|瓶|盘)|^[一两三四五六]位|包间|[中大小]号的?[吗有]|我(?:就|只是)?随便看看|试(?:穿|衣间)|排队的?吗|(?:今日|招牌)[汤菜]|再?[加添续]点?(?:水|汤|饭|茶)|谁点的|上错了|别插队",
        ),
        (
            "pays at a counter",
            1.5,
            r"\b(?:can|could) i pay (?:by|with|in)\b|^\W*(?:just|only) the [\w ]+,? (?:thanks|please)\b|\b(?:one|two|three|four) tickets? (?:for|to)\b[^?]*\bplease\b",
            r"[能可](?:以)?(?:刷卡|扫码)|^就(?:要[^，。]{1,8}，?谢|这些)|^[一两三四]张[^，。？]{0,8}票[。！]|称一下",
        ),
        (
            "works with somebody",
            2.0,
            r"\bsign (?:here|for (?:this|it))\b|\bthe (?:boss|manager|client|team) (?:wants|needs|said|is asking)\b|\b(?:out of|more) (?:printer |copy )?(?:paper|toner|staples)\b"
            r"|\b(?:cover|swap|take) (?:my|your|his|her) shift\b|\byour (?:shift|desk|inbox|screen|badge)\b|\b(?:book|booked|free up|in) the (?:meeting|conference) room\b|\bprinter'?s? (?:is )?(?:jammed|broken|guy|out)\b",
            r"顶个?班|替我|在这儿?签|签个?[名字]|领导|老板(?:让|叫|说|找)|会议室|工牌|车位|打印纸|开会[了去]",
        ),
        (
            "travels together",
            1.5,
            r"\b(?:drop|let) (?:me|us) (?:off|out)\b|\b(?:fasten|buckle|put on) (?:your|up)\b|\b(?:next|second|first) (?:left|right)\b(?!\?)"
            r"|\b(?:miss|catch) (?:the|our|my) (?:bus|train|flight|ferry|plane)\b(?!\?)|\bsitting here\b|\bthere's a (?:camera|cyclist|car|bump|red light|dog)\b|\bindicator\b|\b(?:eyes|watch) (?:on )?the road\b|\bmove your (?:bag|car|stuff|things|feet|legs)\b|\bstraight (?:on|ahead)\b",
            r"放我(?:们)?下|把我(?:们)?放下|安全带|转向灯|赶不上|来不及了?[！。]|(?:第[一二三]个)?路口[左右]?|开过[了头]|[两三四几]站就?到|这(?:车|班)[去到]|直走|有人坐|(?:往|朝)(?:旁|边|里|后|前)[^，。]{0,2}(?:挪|让|站|坐|靠)|慢点?[开骑]|看路",
        ),
        (
            "asks how far it is still",
            2.0,
            r"\bare we (?:nearly |almost )?(?:there|lost)\b|\bhow much (?:longer|further)\b(?=.*\b(?:there|home|we)\b)",
            r"(?:快|还没)到[^，。]{0,2}(?:没|吗)",
        ),
        (
            "is on the phone",
            3.0,
            r"\b(?:ring|call|phone|text|message|buzz|whatsapp) me (?:when|if|once|back|tonight|tomorrow|later)\b|\b(?:talk|speak) (?:to you )?(?:later|soon|tomorrow)\W*$|\bi'm (?:on|in) the (?:train|bus|tram|car|tube|metro|subway|middle)\b|\bput me through\b"
            r"|\b(?:ring|call|phone|text) you\b|\bwho(?:'s| is) (?:calling|this|speaking)\b[?]|\bwrong number\b|\b(?:it's|it is) me\b",
            r"给我(?:发|回)(?:个|条)|回过去|打过来|我在(?:地铁|公交|火车|高铁|车|路|外面|电梯)[上里]?(?:[，。！]|呢)|转一下[^，。]{1,5}(?:部|处|室|科|台)|打错了|是我[，。！]|[您你](?:是)?哪位|(?:待会儿?|一会儿?|回头|晚点)(?:再)?(?:说|聊)[。！]?$|落地|催催",
        ),
        (
            "sees a doctor or a patient",
            2.0,
            r"\bwhere does it hurt\b|\bbreathe (?:in|out)\b|\bany pain\b|\bhad the (?:rash|cough|pain|fever)\b|\bopen wide\b|\bsay ah+\b|\bdeep breath\b|\b(?:have|got) an appointment\b[^?]*\b(?:with|at)\b|\b(?:taken|take|had) your (?:pills?|tablets?|medicine|medication|temperature|insulin)\b|\bfeeling (?:any )?better\b(?=.*\?)|\bthe nurse\b",
            r"哪儿?里?疼[？?]|[这那][儿里]?疼不疼|吸气|憋住|(?:疹子|烧|咳)[^，。]{0,3}多久了|张嘴|深呼吸|伸舌头|躺(?:下|好|平)|挂的?是|我约了|(?:药|降压药|胰岛素)[^，。]{0,3}(?:吃了|打了)没|量(?:个|一下)?(?:体温|血压)|护[工士]",
        ),
    )
)
