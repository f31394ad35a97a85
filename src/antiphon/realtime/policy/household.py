"""Forms of speech among people who live together: with children and animals, at the stove, at the door, in a game.

Rows as in `forms`. They order a body, offer, lend, wish well, or speak of what is seen, smelt and heard in a room.
"""

from __future__ import annotations

from antiphon.realtime.policy.forms import compiled

_NO_TALK = "talking|speaking|saying|reading|explaining|answering|interrupting|repeating|responding|kidding|thing|nothing|commenting|listing|rambling"

HOUSEHOLD = compiled(
    (
        (
            "wishes well",
            2.0,
            r"\bhappy (?:birthday|new year|anniversary|easter)\b|\bmerry christmas\b|\bbless you\b|\bcongrat(?:s|ulations)\b|\blong time no see\b|\bmake yourself (?:at home|comfortable)\b|^\W*after you\b|\blove you\b|\bsay cheese\b|^\W*smile\b"
            r"|\b(?:sleep (?:tight|well)|sweet dreams|get well|safe (?:trip|travels|journey|flight|home)|drive (?:safe|safely|carefully)|take care|have (?:fun|a (?:good|nice|great|lovely|safe))|enjoy your)\b|\bgood luck (?:with your|today|tomorrow|out there|at)\b|\b(?:miss|missed) you\b",
            r"生日快乐|新年好|新年快乐|节日快乐|恭喜|好久不见|好久没见|[您你]先请|随便坐|别客气|笑一个|茄子|一路(?:平安|顺风)|路上(?:慢|小心|注意)|保重|祝[你您]|玩得开心|早点(?:睡|休息|回)|注意(?:安全|身体)|做个好梦|加油哦?[！。]$",
        ),
        (
            "asks after somebody",
            2.0,
            r"\bhow (?:was|were|is|'s|did|are) (?:(?:your|the) (?:day|trip|flight|weekend|holiday|drive|exam|exams|test|interview|date|journey|class|lesson|match|mum|mom|dad|wife|husband|kids|family|back|knee|leg|arm|head|foot)|school|work|practice|training|nursery|kindergarten)\b|\bhow (?:are|have) you (?:doing|been|feeling)\b|\bdid you (?:sleep|have (?:fun|a (?:good|nice)))\b"
            r"|\bwhat(?:'s| is| happened) (?:wrong with|up with|to) your\b|\bwhat's (?:the matter|wrong, \w+)\b",
            r"(?:在?学校|幼儿园|上课|面试|考试|考得|旅行|玩得|睡得|比赛|相亲)(?:都)?(?:怎么样|如何|还好吗|好吗|开心吗)|路上(?:堵|累|还顺)|[你您](?:的)?(?:膝盖|手|脚|腿|脸|眼睛|头|腰|胳膊|嘴|背|脖子)(?:是|又)?(?:怎么|咋|还疼|好点)|[你您](?:怎么|咋)(?:哭|了[？?]|来[了啦]|回来|才)|吃了(?:吗|没)",
        ),
        (
            "speaks of somebody's looks",
            2.0,
            r"\byour \w+ (?:looks?|smells?) (?:so |really )?(?:lovely|great|nice|good|amazing|beautiful|tired|sore)\b|\byou(?:'re| are) (?:soaked|soaking|shivering|bleeding|filthy|blocking|standing (?:on|in)|sitting (?:on|in)|in (?:my|the|our|his|her) (?:\w+ )?(?:way|seat|spot|chair|light|place|room)|so tall|grounded)\b|\bnice (?:shirt|shoes|dress|hat|coat|jacket|haircut|car|tie|bag|place|watch)\b|\b(?:done with|love|like) (?:the place|your (?:hair|dress|shoes|shirt|place|new))\b",
            r"[你您]的[^，。]{1,4}(?:真|好|太)(?:好看|漂亮|美|香|帅|可爱)|你(?:看着|瘦|胖|黑|又长高|长高|流血|湿透|挡|踩|占|坐)(?!什么|哪)|这(?:件|条|双|身)(?:衣服|裙子|裤子|鞋|外套|帽子)?[^，。]{0,3}(?:新买|真好看|好看|不错|适合你)",
        ),
        (
            "offers something",
            2.0,
            r"\b(?:would|do) you (?:like|want|fancy) (?:a|an|some|any|another|more|one|milk|sugar|cream|help|company)\b(?! (?:example|answer|summary|question|explanation|hint|word|list))|^\W*(?:want|need|fancy) (?:a|an|some|any|another|anything)\b[^.]*\?|\bneed anything\b|\bwho (?:wants|needs|would like|fancies)\b|\bwho's (?:hungry|thirsty|up for|in|coming|next|there)\b|\banyone (?:for|want|need|hungry|fancy)\b"
            r"|\b(?:can|may) i (?:offer|get|give|help) you\b|\b(?:have|try|taste) (?:a bite|a sip|a taste|this|one of these)\b|\bthere's (?:some |more |still |a )?(?:\w+ )?in the (?:fridge|oven|freezer|kitchen|cupboard|pot|pan|hall)\b",
            r"谁(?:还)?(?:要|想)(?:吃|喝|添|加|来|去)|要不要(?:来|吃|喝|加|一起|我帮)|^来(?:块|杯|点|根|片|个|颗)(?!轻|欢|音|爵|舒|快|慢|流|古|摇|新|别|例|总)|[你您]要(?:带|喝|吃|来)(?:点|什么|杯|块)|尝(?:尝|一|个)|多吃|再来一(?:碗|块|杯|口)",
        ),
        (
            "offers a hand",
            1.5,
            r"\bshall (?:i|we)\b|^\W*i(?:'ll| will| can)(?: just| go)? (?:get|fetch|do|bring|carry|drive|pay|grab|fix|open|close|answer|walk|pick) (?:it|that|them|this|you|those|him|her)\b(?! to the)|\blet me get (?:that|the|you|those|your)\b|\bi(?:'m| am) (?:popping|nipping|heading|running|dashing|off) (?:to|out|over|off|down|up|home|now)\b|\bi've got (?:you|this one)\b",
            r"^我(?:去|来)(?:开|关|接|拿|倒|收|洗|扔|抱|买|做)[。！]?$|我(?:下楼|上楼|出去|出门)|要不要(?:我|拉|开|关|打开|关上)|帮你(?!们?(?:公司))|我来吧|我(?:来|去)(?:搭把手|帮|扶)",
        ),
        (
            "lends or asks for leave",
            2.0,
            r"\bcan (?:i|we) (?:borrow|stay up|sit (?:here|there|with|next)|go (?:out|home|play|outside|to (?:bed|the (?:toilet|bathroom|loo|park)|\w+'s))|play outside|watch (?:tv|telly|cartoons|one more)|have (?:a (?:bite|sip|go|turn|try|lick)|your|dessert|ice cream)|come (?:in|too|with)|leave the table)\b|\b(?:lend|borrow)(?: me)? your\b|\blend me\b",
            r"借(?:我|你|他|一下)|我(?:能|可以|可不可以)(?:出去玩|坐这|进来|先走|去玩|下桌|玩一会)|让我(?:玩|抱|摸|坐|骑|咬)",
        ),
        (
            "brings up a child",
            2.0,
            r"\b(?:brush|comb|dry|wash|blow|wipe) (?:your|his|her)\b|\bput (?:your|his|her|some) (?!money|budget)|\bfinish your (?!sentence|thought|point|answer|story|explanation|list|work)|\bshare with\b|\buse your (?:inside|indoor|words|fork|spoon|napkin|hands|manners)\b|\bbecause i said so\b|\byou can't (?:have|go|eat|wear|sit|bring|come|leave|play)\b|\b(?:time for|off to|go to|back to|in) bed\b|\bbedtime\b"
            r"|\blet go\b|\b(?:not|isn't|whose) (?:your |my |his |her )?turn\b|\byour (?:move|go|deal|serve)\W*$|\btime for (?:school|bath|a bath|your|lunch|dinner|breakfast|a nap|a walk)\b|\b(?:tie|zip|button|fold|roll|hold|lift) (?:up )?your\b|\bstop copying me\b|\bsit (?:still|properly|up straight|nicely)\b|\bhold (?:my|still|mummy's|daddy's)\b|\b(?:get|stay) out of my (?:room|way|house|kitchen|stuff)\b|\bgive (?:me|us) a (?:hug|kiss|cuddle)\b|\bplay nice(?:ly)?\b",
            r"刷牙|洗[手脸头澡](?:了没|去|[。！吧]|$)|先洗手|不许(?!说|讲|插|打断|出声|回|开口)|道歉|擤|把[^，。]{1,6}(?:吃完|穿上|换上|脱|戴上|吐出来|收好|写完)|该(?:上床|睡觉|起床|洗澡|吃饭|出门|走|上学|你(?:出|走|洗|做|打|去|接|倒|买|玩|上|下))|没轮到你|再(?:哭|闹|吵)|松手|一起玩|别(?:学我|揪|拽|咬|叫|爬|乱|晃|吵架|打架|撒娇|挑食|挤|哭)|从[^，。]{1,5}(?:出去|下来|上来|出来)|张开?嘴|让着|分[给他她]|上学[要去]|抱(?:抱|一下)|亲一?[下个]",
        ),
        (
            "orders a body",
            2.0,
            r"^\W*(?:(?:please|just|now|and|can you|could you)\W+)*(?:eat(?! out)|drink|tuck|wipe|hop|come (?:and|here|over|down|up|sit|with|to)|run (?:and|along|off|to|up|down|over)|put another|take the (?:lift|stairs|elevator|bus|bins?|dog|rubbish)|go and|go (?:to (?:bed|your room|sleep)|outside|play|upstairs|home)|turn around|lie|stand|climb|jump|duck|squeeze|spit|swallow)\b"
            r"|\bpick (?:that|it|this|those|them|your \w+) up\b|\bremember to (?!include|add|mention|say|count)",
            r"坐(?:在)?(?:[^，。]{1,3}(?:旁边|后面|前面|中间)|[这那][儿里])|后面坐|^[上下]车|(?:塞|扣|系|戴|收|坐|站|拿|放|盖|关|锁|铺|排|躺|贴|擦干|洗干|扫干)(?:好|净)[。！]?$|转过[去来]|回家再说|别管我|你该(?:去(?:医院|睡|看)|睡|回)|往[^，。]{1,5}里?再?(?:添|加|放|倒)|我不?(?:会)?给你(?:买|做|煮|带|盛)",
        ),
        (
            "plays a game",
            2.0,
            r"\b(?:my|whose) turn\b(?! to (?:talk|speak|say|ask))|\bcheat(?:er|ing)\b|\b(?:no|not) fair\b(?! (?:price|deal|comparison))|\bi'm telling (?:mum|mom|dad|daddy|mummy|on)\b|\bpush me\b|\bready or not\b|\blast one (?:there|to the)\b|\bi win\b|\bguess (?:who|what)\b",
            r"猜(?:我|谁|怎么)|(?:该|轮到)我了|耍赖|赖皮|不公平|踩(?:我|到)|推(?:我|高)|告诉(?:爸|妈|老师)|看谁(?:先|快)|我赢了",
        ),
        (
            "commands an animal",
            2.0,
            r"^\W*(?:down|fetch|heel|sit|stay|paw|shoo|roll over|drop it|off)(?:[!]|\W+(?:boy|girl)\b)|\b(?:who's|what) a (?:good|clever|pretty)\b|\bleave the (?:cat|dog|bird)\b|\b(?:puppy|kitty|doggy|bad (?:dog|cat|boy|girl))\b|\bget (?:off|down from|away from) (?:the|that|there|my|me)\b",
            r"过来[，。！]|坐下|别叫|(?:小狗|小猫|狗狗|猫咪|汪汪|喵喵)|握手[！。]?$|(?:叼|捡)(?:回来|过来)",
        ),
        (
            "forbids a doing",
            2.5,
            rf"^\W*(?:no|quit|enough with the|stop the) (?:more )?(?!(?:{_NO_TALK})\b)(?!\w*thing\b)\w{{2,}}ing\b(?! to\b)|\bno (?:more )?(?:screens?|tv|telly|sweets|candy|cookies|games|phones|dessert|snacks)\b(?!\?)",
            "",
        ),
        (
            "has something given on",
            3.0,
            r"\b(?:give|pass|hand|bring|take|show|throw|lend) (?:it|that|this|them|those|one|some)(?: back)? to (?:him|her|them|your|daddy|mummy|the)\b|\bsay (?:sorry|thank you|thanks|please|goodbye|bye|good night) to\b|\b(?:tell|ask) (?:your|daddy|dad|mum|mom|grandma|grandpa)\b",
            r"还给[他她人弟妹哥姐同]|(?:跟|和|给|向|对)(?!我|你)[^，。？]{1,4}(?:说(?:谢谢|对不起|再见|晚安|一声)|道歉|道谢|问好|打招呼)",
        ),
        (
            "sees to the stove",
            2.0,
            r"^\W*(?:please |just |now |and )*(?:chop|stir|taste|dice|peel|drain|whisk|lay|set|clear|scrape|mop|sweep|dust|rinse) (?:the|that|those|these|this|it|them)\b(?! (?:alarm|timer|reminder|volume|temperature|tone))|\bgive it a (?:stir|wipe|rinse|shake)\b|\bturn (?:the heat|the hob|the gas|the water|it) (?:down|up|off) a (?:bit|little)\b|\bsomething(?:'s| is) (?:burning|boiling over|leaking|beeping|dripping|on fire)\b|\b(?:water|pasta|milk|soup) (?:boiling|boiled|ready|done) yet\b|\b(?:salty|sweet|spicy|warm|done|ripe) enough\b(?=.*\?)|\bseconds\?",
            r"搅(?:一|拌|动)|切(?:细|碎|薄|小|厚|成|一下|两)|尝尝|(?:火|煤气|灶)[^，。]{0,2}(?:关|开|调|拧)|水开了|(?:糊|焦|溢|烧干|洒|漏|馊)了|摆(?:一下|上)|盛(?:饭|汤|一)|锅[^，。]{0,2}烫|咸不咸|淡不淡|够不够咸",
        ),
        (
            "senses the room",
            1.5,
            r"\b(?:smells?|stinks?) (?:like|of|good|nice|bad|funny|burnt|amazing|delicious|great|weird)\b|\bit's (?:so |too |really |a bit )?(?:freezing|stuffy|draughty|drafty|chilly|boiling)\b|\b(?:hot|cold|dark|stuffy|loud|warm) in here\b|(?:'s|'re|\bis|\bare) still (?:on|running|wet|asleep|warm|hot|out|barking|crying)\b|\b(?:ringing|barking|crying|awake|asleep|beeping|getting cold|going cold)\b(?!\?)|\bsomebody's (?:at|here|coming|knocking)\b|\bat the door\b|\b(?:shut|close|open) (?:that|it)\b",
            r"(?:冷|热|闷|吵|暗)死了|(?:屋|房间|这)里?(?:太|好|真)?(?:冷|热|闷|黑|暗|挤)|(?:响|醒|凉|灭|亮|哭|掉)了[。！]?$|(?:按门铃|在哭|在叫)|还(?:亮|开|响|湿|烫)着|要凉了|关上|味儿?",
        ),
        (
            "claims a thing",
            1.5,
            r"^\W*(?:no,? |hey,? )?(?:that|this|it|those|these)(?:'s| is| are|'re) (?:mine|ours|hers|not yours)\b|\bwhose (?:is|are) (?:this|that|these|those)\b|^\W*(?:shotgun|finders keepers|bagsy|dibs)\b|\bi left my\b|\bgive (?:it|that|them) back\b|\bi (?:already )?told (?:mum|mom|dad|him|her|them|you already)\b",
            r"^(?:这|那)是我的[。！]?$|还给我|给我还回来|我(?:已经)?(?:跟|和)(?:妈|爸|他|她|老师)[^，。]{0,2}说[了过]|落在|忘在",
        ),
        (
            "asks who did it",
            2.0,
            r"^\W*(?:\w+,? )?who (?:left|took|ate|drank|used|broke|moved|put|let|finished|turned|spilled|spilt|stole|hid|ordered|parked|locked|unlocked|opened|closed|borrowed|forgot|made this|made the mess|touched|threw|brought|just)\b|^\W*who(?:'s| has| has been) (?:been|got|had|seen my|taken|eaten|used|left)\b"
            r"|\bis (?:anyone|anybody|someone|somebody|everyone|everybody) (?:in|home|there|here|hungry|sitting|using|coming|hurt|awake|ready)\b|\b(?:did|has|have) (?:anyone|anybody|someone|somebody|everyone|everybody) (?!ever\b|know\b|else\b|surviv|die\b|died\b|win\b|won\b|hurt\b|live\b|notice|believe|really\b|actually\b)",
            r"谁(?:又)?(?:把|拿|点|吃|用|关|动|喝|弄|打翻|放|藏|扔|没关|没锁|偷|忘|占)|谁(?:的|家的)(?:车|包|狗|鞋|手机|孩子|东西)|有人[^，。？]{0,4}(?:看见|看到|订|拿|用|动|来过|在家|坐)[^，。]{0,6}[吗没？]",
        ),
    )
)
