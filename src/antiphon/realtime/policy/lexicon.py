"""Closed classes of words that say how speech is meant, in English and Mandarin: single words, never phrases.

The sets that measure the turn policy are written without looking here: no utterance of theirs is an entry (tested).
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Answers to speech that ask for nothing, and the light words that go with them.
RESPONSE_EN = _words(
    "mhm mm mmm hm hmm mm-hmm uh-huh huh yeah yep yup yes ok okay right sure alright wow oh ah aha cool great "
    "nice good fine true exactly indeed interesting really totally absolutely definitely perfect wonderful lovely "
    "understood gotcha agreed thanks amazing funny incredible crazy understand awesome fantastic brilliant sweet neat fair sounds "
    "hah haha ahh ooh aw aww whoa gee damn wild seriously obviously naturally certainly precisely correct lol classic "
    "impressive fascinating hilarious insane unreal unbelievable nicely cheers indeed surely clever smart beautiful ha blimey crikey okie dokie yo "
    "um-hum hum word same"
)
LIGHT_EN = _words(
    "i i've it it's that that's this is was so the a to see got know makes make sense very pretty of course and you all "
    "enough just very much for me my god gosh bet guess point one kidding no way well thank i'm with there "
    "i'd had have had idea knew never heard before didn't don't think thought would've wouldn't could imagined imagine "
    "suppose believe figured explains explain everything lot things makes helps tracks figures checks out learned learnt "
    "something new today every day call been he she they them were really tell hear to do in an now what's world "
    "earth heavens goodness lord you're you'd joking say don't doubt wonder same here too also mean at all like where going "
    "total real dear thing on then back right get figure figured uh grief news works work"
)
RESPONSE_ZH = frozenset("哼真嗯哦噢喔啊呃唉哎哈呵嘿对是好行的吧了呀嘛呢哇咦欸诶")
LIGHT_ZH = frozenset(
    "吗的明白知道懂没错原来如此真这样那么挺很也都就有道理可以解我你说得回事儿听起来确实太棒不当然意思谢"
    "学到见识牛赞酷妙绝趣天难怪果竟居感觉样子算同信服佩神惊讶了假想又还过涨姿势老实话头必须厉害服气巧今"
)

# Openings of questions, and what makes a sentence one in Mandarin.
ASKING_EN = _words("what which who whom whose when where why how")
AUXILIARY_EN = _words(
    "can could would will should do does did is are was were has have may might shall isn't aren't don't doesn't "
    "can't couldn't won't"
)
SUBJECT_EN = _words(
    "i you we they he she it this that these those there the a an any anyone anybody my your our his her"
)
ASKING_ZH = ("什么", "怎么", "为什么", "为啥", "怎样", "如何", "谁", "哪", "几", "多少", "多久", "多远", "吗", "是不是", "有没有", "能不能", "要不要", "会不会", "可不可以")  # fmt: skip

# Verbs and adverbs that want something of the listener's talk, or turn against what is being said.
WANTING_EN = _words(
    "tell give show explain describe find check search look book play set remind add change switch skip repeat "
    "again summarize translate read list compare recommend suggest help need want prefer rather instead actually "
    "but wrong not mean meant slower faster louder shorter simpler forget question ask also another different "
    "start begin cancel make try call send open write calculate count convert let's answer"
)
WANTING_ZH = (
    "告诉", "帮我", "请", "给我", "讲讲", "解释", "介绍", "查", "找", "搜", "订", "播放", "提醒", "换", "改", "重复", "再说", "总结", "翻译", "比较", "推荐", "建议", "想要", "我要", "我想", "需要", "不对", "错了", "其实", "但是", "不过", "另外", "问", "慢点", "快点", "大声", "简单", "还是", "不是", "取消", "算一下", "回答", "说说", "谈谈", "放首", "放一", "举个", "例子", "改主意", "来首", "来个",
)  # fmt: skip

# Commands about the floor itself.
STOPPING_EN = _words("stop enough quiet silence silent shush hush shut pause halt mute quit zip")
STOPPING_ZH = ("停", "够啦", "行了行了", "安静", "闭嘴", "别说", "别讲", "不用说", "不用讲", "不要说", "不要讲", "够了", "打住", "住口", "别念", "收声", "嘘", "别出声", "别吵", "沉默", "别再", "到此为止")  # fmt: skip
HOLDING_EN = _words("wait hold hang moment second sec minute bear patience tick jiffy mo")
HOLDING_ZH = ("等", "稍", "慢着", "想想", "想一想", "想一下", "缓一缓", "一会", "片刻")
CONTINUING_EN = _words("continue proceed resume onward keep carry finish rest")
CONTINUING_ZH = ("继续", "接着", "往下", "说完", "讲完", "后面")

# Speech about speech: what an agreement forbids or allows, and the words that bound it.
SPEAKING_EN = _words(
    "answer answering reply replying respond responding speak speaking talk talking say saying interrupt "
    "interrupting interject comment commenting chime jump cut listen words word said hear replies answers comments "
    "interruptions remarks response responses feedback peep pipe butt"
)
SPEAKING_ZH = ("回答", "回复", "回应", "说话", "出声", "开口", "插话", "插嘴", "打断", "吭声", "接话", "讲话", "听", "作答", "发言", "搭腔", "做声", "作声", "吱声", "言语", "吭气", "发声", "搭话", "多嘴", "可以讲", "能讲", "再讲", "才讲")  # fmt: skip
FORBIDDING_EN = _words(
    "don't dont not no never without wait hold hang quiet silent silence just only stop stay nothing unless ignore keep "
    "avoid refrain save"
)
FORBIDDING_ZH = (
    "别",
    "不要",
    "不许",
    "不用",
    "不准",
    "不需要",
    "用不着",
    "甭",
    "不必",
    "忽略",
    "不理",
    "先",
    "等",
    "只",
    "保持",
    "安静",
    "勿",
    "暂时",
    "除非",
)
PROHIBITING_EN = _words(
    "don't dont not no never without quiet silent silence stop stay nothing shouldn't mustn't can't refrain avoid ignore"
)
PROHIBITING_ZH = (
    "别",
    "不要",
    "不许",
    "不用",
    "不准",
    "不需要",
    "用不着",
    "甭",
    "不必",
    "保持",
    "安静",
    "勿",
    "暂时",
    "沉默",
)
BOUNDING_EN = _words("until till unless before once after when whenever if")
BOUNDING_ZH = ("直到", "再", "之前", "以后", "之后", "才", "为止", "除非", "时候", "前")
DONE_EN = _words("done finished finish complete over ready through end")
DONE_ZH = ("完了", "完毕", "好了", "结束", "就这些", "就这样", "没了", "完")
ALLOWING_EN = _words("may can now normal normally usual again freely fine")
ALLOWING_ZH = ("可以", "正常", "现在", "吧", "恢复", "照常")
NAMING = ("name", "名字", "叫你", "喊你", "点名", "call you", "called")

# Ends of speech that is not over.
TRAILING_EN = _words(
    "and but or so because the a an to of with for in on at from by my your his her our their um uh er erm like if "
    "that is are was were than as about into which who when where while although plus maybe then also i we"
)
TRAILING_ZH = (
    "和", "但是", "因为", "所以", "然后", "就是", "那个", "这个", "嗯", "呃", "额", "的话", "如果", "比如", "还有", "把", "给", "在", "跟", "从", "到", "或者", "而且", "不过", "以及", "要", "想", "关于", "对于", "比如说", "可能", "我",
)  # fmt: skip

# Clauses that begin so need another one.
LEADING_EN = _words("if when because although since while unless whenever")
LEADING_ZH = ("如果", "因为", "虽然", "要是", "假如", "只要", "既然", "等到")

# Whom speech is for. An agent without a body is not asked to hand over the salt.
RELATION_EN = _words(
    "mom mum dad mommy daddy grandma grandpa honey sweetie darling dear babe son kids guys everyone everybody folks "
    "sir madam ma'am miss waiter driver doctor boss dude buddy mate bro sis auntie uncle officer professor "
    "coach mister granny sweetheart hun kiddo aunt nurse teacher waitress chef barman bartender conductor vet plumber "
    "postman neighbour neighbor cabbie cousin niece nephew sister brother mother father love pal man girl boy team class "
    "ladies gentlemen kid child baby gran nan grandad nana papa mama pops princess champ friend friends lads mister"
)
RELATION_ZH = (
    "妈妈", "爸爸", "妈", "爸", "爷爷", "奶奶", "外婆", "外公", "老婆", "老公", "宝贝", "哥", "姐", "弟", "妹", "叔叔", "阿姨", "师傅", "服务员", "老师", "经理", "医生", "老板", "同学", "各位", "大家", "先生", "女士", "儿子", "女儿", "亲爱的", "小姐", "护士", "大夫", "司机", "店员", "前台", "保安", "快递员", "伯伯", "伯父", "伯母", "婶", "舅", "姑", "姨", "姥姥", "姥爷",
    "公公", "婆婆", "宝宝", "孩子", "兄弟", "哥们", "闺女", "队长", "主任", "教练", "警官", "警察", "同事", "队员", "教授", "主管", "组长", "班长", "校长", "美女", "帅哥", "小朋友", "朋友们", "同志", "伙计", "亲", "总",
)  # fmt: skip
BODILY_EN = _words(
    "pass hand grab bring fetch sit stand carry push pull wash wipe throw pour feed lift wake hug knock unlock pop chuck "
    "stick toss hang plug print photocopy staple sign chop stir taste lean roll rinse chew swallow tie fold sweep mop scoot budge sniff lick climb kneel duck lay"
)
MOVING_EN = _words("put leave take open close shut lock come go move turn hold get drop park pick help clean")
PLACE_EN = _words(
    "here there over door window table shelf sofa couch kitchen upstairs downstairs outside inside bag box car desk "
    "floor chair fridge plate room side light lights down bags coat"
)
BODILY_ZH = (
    "递", "拿", "放在", "放到", "放下", "放进", "放回", "放那", "放这", "坐下", "坐这", "过来", "出去", "进来", "关门", "开门", "关上", "关小", "开大", "端", "搬", "洗",
    "倒杯", "倒水", "倒点", "穿", "扔", "收拾", "抱着", "抱抱", "抱起", "挪", "让一让", "让开", "站起", "站那", "站住", "拎", "擦", "扶", "接一下", "关一下", "开一下", "扶一下",
    "关掉", "捡", "搭把手", "打印", "复印", "系好", "系上", "戴上", "戴好", "叠", "铺", "摆", "脱", "盖上", "举起", "举高", "松手", "擤", "卷起", "换上", "吐出", "还给", "搅", "尝尝", "盛", "扶着", "签字", "签个字",
)  # fmt: skip
THIRD_EN = _words("it it's he he's she she's assistant machine bot app thing")
TELLING_EN = _words(
    "says said say saying talks talking tells told answers answered reads reading keeps thinks"
)
OPENING_EN = _words(
    "okay ok well so yes yeah no actually anyway wait sorry oh hey hi hello thanks please right great now alright "
    "but and also hmm um uh first second finally today tomorrow tonight yesterday monday tuesday wednesday thursday "
    "friday saturday sunday listen look see good fine sure maybe perhaps meanwhile however instead then cool nice "
    "wow ah god if when because since after before while unless until in on at for with by from speaking what how why "
    "who where which the a an i you we they he she it this that there here let just again stop hold quick one last "
    "next true exactly really honestly basically by nah nope yup aye ugh oops whoa oi ay eh hm pause meaning third fourth "
    "fifth lemme gimme wanna gonna english french german spanish chinese mandarin italian japanese korean kilometres miles euros dollars celsius "
    "louder slower faster shorter simpler longer skip back more less cheaper bigger numbers names places correction question"
)
OPENING_ZH = _words(
    "所以 但是 然后 不过 其实 那么 请问 好的 另外 对了 嗯 哦 啊 那 好 对 是的 不是 不对 等等 等一下 首先 最后 今天 明天 昨天 后天 现在 如果 因为 而且 你好 您好 谢谢 抱歉 对不起 不好意思 没错 可以 行 好吧 真的 当然 或者 还有 再说 比如 总之 顺便 说到 那个 这个 就是 话说 说真的 老实说 说实话 哎呀 天哪 这样 没事 没关系 其次 接下来 刚才 之前 之后 同时 继续 停 稍等 晚上 早上 下午 上午 周末 周一 周二 周三 周四 周五 周六 周日 周天"
)
COMMON_SURNAMES_ZH = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
# Characters that given names and transliterated ones are made of, and words of other meaning made of them.
GIVEN_ZH = frozenset(
    "婷娜丽芳敏静磊军洋勇艳杰娟涛秀霞桂英兰琴莹雪琳晶倩佳欣怡梦轩浩宇涵豪俊伟鹏飞龙辉斌峰波健建志凯嘉贝妮莎菲伊娃莱奥丝"
    "露玛莉安达尼克迪卡罗迈尔彼保苏珊珍斯特托汤姆森杰本萨拉艾米文明晓瑞思雯璐萌诺亚瑶蕾薇洁玲萍红梅强刚毅翔坤阳晨曦"
)
NO_GIVEN_ZH = _words(
    "文明 健康 保安 本文 文本 英文 明文 安静 平安 保健 安保 拉萨 罗马 波斯 托福 强健 坤宁 梦露 阳刚 明亮 刚强 红本 安达 飞龙 静安 文静"
)
YES_EN = _words("yes yeah yep sure ok okay please confirm confirmed go ahead do correct right absolutely")
NO_EN = _words("no not don't dont never stop wait cancel nope but instead")
YES_ZH = ("是", "好", "对", "可以", "行", "确认", "没问题", "嗯", "同意")
NO_ZH = ("不", "别", "等", "先", "取消", "没有", "但")
