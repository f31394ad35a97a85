"""Forms of speech between people: what they say of themselves, of each other and of what is around them.

Each row is what the form shows, how much it says that the words are for somebody else than the agent (`addressing` sums
the weights), and the form in English and in Mandarin. Forms are of the languages; none is an utterance of the sets.
"""

from __future__ import annotations

from antiphon.realtime.policy.encounters import ENCOUNTERS
from antiphon.realtime.policy.forms import Row, compiled
from antiphon.realtime.policy.household import HOUSEHOLD

# What an agent does for who speaks to it; whatever else "you" do is done by people.
_ASSISTING = (
    "tell|give|send|show|remind|help|find|get|book|read|check|explain|call|text|email|play|order|make|translate|add|set|put|"
    "update|track|change|cancel|move|review|fix|rate|save|remember|note|repeat|spell|walk|talk|teach|guide|quiz|test|inform|let|"
    "wish|convince|write|draft|plan|sort|calculate|recommend|suggest|register|sign|correct|summarize|summarise|do|buy|navigate|connect|turn|reserve|list"
)
_TALKING = (
    "talk|say|tell|read|explain|suggest|recommend|refer|assum|count|includ|think|mean|us|go|gett|do|ask|listen|speak|sayi|forgett|"
    "skipp|miss|mix|confus|contradict|repeat|interrupt|answer|guess|calculat|bas|mak|compar|describ|lectur|rambl|kidd|jok|look"
)

_FORMS: tuple[Row, ...] = (
    (
        "asks for a favour",
        2.0,
        rf"\b(?:can|could|will|would|won't) you (?:please |just |quickly )*(?!(?:{_ASSISTING})\b)\w+ (?:me|us|my|our|(?:this|that|these|it) for (?:me|us))\b|, (?:would|will|can|could) you\W*$|^\W*mind if i\b"
        rf"|\b(?:would|do) you mind (?!(?:{_TALKING})ing\b)(?:\w+ing\b|if i (?:sit|open|close|borrow|turn|join|take|leave|smoke))"
        r"|\bgive (?:me|us) (?:a (?:hand|lift|ride|push)|(?:that|it|those|this|them)(?=\W*$))|\btake (?:our|my|a) (?:picture|photo)\b",
        r"帮我(?![给查看算翻推比总解介讲说提订播列写找设导告念问想记发打联预取改换选规做约叫买下加确分整编起定关开调放画润检复核存保搜安回转通排重再先也弄])|捎(?:我|上|带)|载我|送我(?:去|到|回)|[帮给](?:我们?|咱们?)(?:拍|照|看着|占|拉|提|推)|把(?:那|这)(?:个|些|东西)给我|搭把手",
    ),
    (
        "says what somebody is doing",
        2.0,
        rf"\b(?:are|aren't) you (?:\w+ )?(?!(?:{_TALKING})ing\b)\w{{2,}}ing\b|\byou(?:'re| are) (?:\w+ )?(?!(?:{_TALKING})ing\b)\w{{2,}}ing\b(?!-)"
        r"|\byou've (?:grown|lost weight|got|changed|been (?:out|away|gone|drinking|crying|busy|running))\b|\bhow long have you had\b|\bwhere (?:have you been|were you)\b|\b(?:what|which) (?:room|seat|floor|size|row|table|class) are you\b",
        r"你把[^，。]{1,6}(?:洒|打|摔|撞|踩|丢|弄(?![反混错]))|[你您](?:上|跑|去)哪儿?里?去?了|你(?:穿|住|坐|躺|戴|抱)(?:的|在|着|哪)|你(?:耍赖|赖皮|作弊|好了就)|[你您]停[^，。]{0,6}(?:就|后|前|边|这|那)",
    ),
    (
        "says whose it is",
        2.5,
        r"\b(?:this|that|these|those|it|which one)\b(?: \w+)? (?:yours|for you)(?=\W*$)|\b(?:is|are) (?:this|that|these|those) (?:\w+ )?yours?\b|\bis that your\b",
        r"(?:这|那|车|包|伞)[^，。]{0,4}是[你您](?:的|家的)",
    ),
    (
        "calls to look or to come",
        2.0,
        r"^\W*look, (?:an?|the|there|it's|daddy|mum|he|she|they)\b|\bover here\b|^\W*(?:up|down|in|out) here\b|\bwatch (?:this|me)\b|\bhow do i look\b|\bdo i look\b|^\W*o(?:w|uch)\b",
        r"快看|^看[，！]|我?在这[边儿里][！。]|看我|走了走了|哎[哟呦]，",
    ),
    (
        "tells what somebody did",
        1.0,
        r"^\W*some(?:body|one)(?:'s| is| has| just| left| took| ate)\b(?!.*\?)|^\W*there's an? \w+ (?:in|on|under) (?:the|my|your)\b",
        r"有人把|(?:里|上|下)有(?:只|个|条)?(?:蜘蛛|虫|老鼠|蟑螂|蛇)|代我(?:问|向)",
    ),
    (
        "points at who is there",
        1.0,
        r"\b(?:behind|beside|next to|in front of) (?:us|me|him|her|you|the kids)\b|\b(?:sit|join|come|stay|wait|eat) with (?:us|me)\b",
        r"我们?(?:后面|旁边|前面|这儿|这边|那儿)",
    ),
    (
        "asks what can be smelt or heard",
        2.0,
        r"\b(?:what's|what is|what was|hear|smell) (?:that|this) (?:awful |weird |funny |lovely )?(?:smell|noise|sound|racket|bang)\b",
        r"什么(?:味|声音|动静|响)",
    ),
    (
        "runs out of something",
        1.5,
        r"\b(?:run|ran|running|we're|we are|all) out of (?!time|ideas|options|words|curiosity)\w+",
        r"(?:喝|吃|用)(?:完|光|没)了[。！]?$|(?:纸|奶|米|油|盐|茶|咖啡|蛋)(?:又)?没(?:有)?了",
    ),
    (
        "speaks to several",
        3.0,
        r"\byou (?:guys|two|all|both|lot|folks)\b|\b(?:both|one|any|some|each|either|which) of you\b|^\W*every(?:body|one)\b,"
        r"|^\W*(?:\w+\W+)?(?:can|could|will|would) (?:someone|somebody|anyone|anybody|one of you)\b",
        r"谁(?:去|来|帮|能|给)|你们谁|你们|你俩|^各位|^大家",
    ),
    (
        "says where the speaker will be",
        1.5,
        r"\bi(?:'ll| will|'m| am|'ve| just)? ?(?:just |almost |nearly |be |still |right )*(?:coming|got home|got back|home(?! all| until| from)|leaving|in the (?:kitchen|bathroom|shower|garden|car|bath|middle of)|down|there|over|out|off|ready|on my way|with you|(?:right |straight )?back)\b"
        r"|\bi(?:'ll| will) wait\b|\b(?:use|need) the (?:restroom|bathroom|toilet|loo|ladies|gents)\b|\bdon't wait (?:up )?for\b|\bbe (?:right )?(?:there|down|back|over|with you)\b"
        r"|\b(?:almost|nearly|just about) (?:done|ready|finished)\b",
        r"我(?:得|要|先)?去(?:趟|个|一?下)?(?:厕所|洗手间|卫生间)|我送[你您]|我在[^，。]{1,6}等|别等我|刚到家|我(?:马上|这就|就|现在|一会儿?|等会儿?|很快|先|正)+(?:要|去|出|下|上|过|回|到|来|走|开|忙|弄|做)"
        r"|(?:马上|这就)(?:来|去|好|到|下来|过去|出来)|就(?:来|去|下来|过去|出来)[了啦]?(?:$|[，。！,!])",
    ),
    (
        "plans with somebody",
        1.0,
        r"\b(?:we|we're|we'll|let's|shall we)\b(?: \w+){0,3} (?:go|going|leave|leaving|eat|late|meet|head|start|out|need to (?:go|leave|eat|hurry|get)|drive|ready|tonight|dinner|lunch)\b",
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
        r"\b(?:thank you|thanks|cheers|ta|no (?:worries|problem|rush)|my pleasure|you're welcome|don't mention it|never mind(?! (?:that|the|about|all))|excuse me|pardon me)\b",
        r"不客气|没关系|没看[见到][您你]|没事儿?|不着急|劳驾|^您好|谢谢|多谢|借过|让一下",
    ),
    (
        "speaks to who can be seen",
        2.0,
        r"\byou(?:'ve)? (?:look(?! (?:up|for|at|into))|forgot (?:your|my|to (?!mention|say|tell|add|include|count|answer))|left (?:the|your|it)|dropped|spilled|broke|missed|scared|woke)\b"
        r"|^\W*hey you\b|\b(?:what are you|you're) doing (?:up|here|there|in)\b|\bwait (?:for (?:me|us)\b|up\b)"
        r"|\blook (?:at (?:you|this mess|the mess|what)|what you)\b"
        r"|\bcan you (?:hear|see|smell) (?:the|that)\b",
        r"[你您](?:又|是不是)?(?:忘[了带]?(?![了说算讲提回答告考问])|弄得|弄坏|弄丢|看起来|看上去)|看[你您]|在[^，。]{1,5}等[我着]|等等我(?![说讲想找看])|还不睡|不方便说话|过得怎么样|上[班学]怎么样",
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
        r"\bwho's (?:picking|taking|getting|cooking|driving|bringing|feeding|watching the|minding|looking after)\b",
        r"看店|谁(?:去接|做饭|洗碗|倒垃圾|买菜|开车)",
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
        r"|\bhelp yourself\b|^\W*(?:breakfast|lunch|dinner|supper)(?:'s| is)? in (?:a|five|ten|\w+ minutes)\b|\b(?:food|pizza|taxi|cab|delivery|guests?|plumber|car|lift|ride)(?:'s| is| are) here\b",
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
        3.0,
        r"\b(?:stop|quit) (?!(?:talking|speaking|saying|reading|explaining|going|listing|rambling|playing|telling|answering|interrupting|repeating|responding|narrating)\b)\w+ing\b|^\W*(?:just |please )?keep (?!(?:talking|speaking|saying|reading|explaining|going|listing|playing|telling|in|repeating|listening|it)\b)\w+ing\b",
        r"(?:接着|继续)(?:搅|揉|推|拉|走|跑|开|按)|别再?(?:踢|跑|闹|碰|哭|抢|打[他她人我你]|咬|玩|摸|爬|扔|推|挤|插队|吵醒|乱动|乱跑)",
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

AMONG_PEOPLE = (*compiled(_FORMS), *ENCOUNTERS, *HOUSEHOLD)
