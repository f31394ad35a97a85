"""Closed classes of words for what is around people and what they do there: single words, in English and Mandarin.

An assistant that only talks has no keys, no kettle and no children to fetch from school: such words, and the way in
which they are used, say that speech is for somebody in the room. No word decides by itself (`addressing` weighs).
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Things of a home, an office or a shop.
THINGS_EN = _words(
    "key keys wallet purse glasses phone charger remote tv telly television radio light lights lamp heater heating "
    "thermostat window windows curtain curtains blinds door doorbell gate kettle oven stove pan pot dishes dishwasher "
    "fridge freezer microwave sink tap bin trash garbage rubbish laundry washing washer dryer towel towels blanket "
    "pillow bed sofa couch chair chairs table desk drawer cupboard cabinet shelf closet wardrobe coat jacket shoes "
    "boots socks scarf gloves bag bags backpack suitcase umbrella box boxes parcel package packages delivery courier "
    "mail post letter letters newspaper car bike garage driveway dog cat puppy kitten baby toddler homework lunch "
    "dinner breakfast supper tea coffee milk bread sugar salt sandwich pizza leftovers groceries shopping cake cup mug "
    "plate plates fork knife spoon glass bottle kitchen bathroom bedroom upstairs downstairs hallway garden yard porch "
    "balcony basement attic stairs stapler scissors pen pencil folder binder whiteboard projector receipt plumber "
    "electrician neighbour neighbours neighbor neighbors landlord postman guests laptop toys toy bath shower toothbrush "
    "pyjamas pajamas ladder hammer drill vacuum mop broom iron candle candles matches cable plug socket printer toner seat seats "
    "taxi cab change badge hoodie sleeve sleeves pills tablets nappy diaper pram stroller leash collar cushion cushions rug carpet "
    "fence hose bucket tray saucepan napkin napkins trolley basket seatbelt lift elevator handbrake wipers reception bill menu latte croissant espresso cappuccino coffees bread-roll cash card till counter"
)
THINGS_ZH = (
    "钥匙", "钱包", "眼镜", "手机", "充电器", "遥控器", "电视", "音响", "收音机", "台灯", "灯", "暖气", "空调", "窗户", "窗", "窗帘", "门", "门铃", "水壶", "烤箱", "锅", "碗", "筷子",
    "盘子", "杯子", "冰箱", "微波炉", "水龙头", "垃圾", "衣服", "洗衣机", "毛巾", "被子", "枕头", "沙发", "椅子", "桌子", "桌上", "抽屉", "柜子", "架子", "外套", "鞋", "袜子", "围巾",
    "包里", "书包", "箱子", "雨伞", "伞", "盒子", "快递", "外卖", "包裹", "信箱", "报纸", "车库", "车停", "狗", "猫", "作业", "午饭", "晚饭", "早饭", "饭", "菜",
    "茶", "咖啡", "牛奶", "面包", "盐", "酱油", "厨房", "卫生间", "洗手间", "卧室", "客厅", "楼上", "楼下", "走廊", "院子", "阳台", "电梯", "订书机", "剪刀", "笔", "文件夹", "投影",
    "打印机", "发票", "水管", "邻居", "房东", "客人", "电脑", "玩具", "牙", "拖把", "吸尘器", "插座", "水果", "蛋糕", "零钱", "菜单", "账单", "拿铁", "座位", "出租车", "工牌", "车位", "会议室", "卫衣", "睡衣", "老花镜", "拖鞋", "安全带", "订书钉", "袖子", "梯子", "院门", "碗筷", "充电宝",
)  # fmt: skip
# What people have and an agent has not: "your keys".
OWNED_EN = _words(
    "mom mum dad mother father sister brother wife husband boyfriend girlfriend day haircut hair face signature ticket passport id knee nose teeth foot feet leg arm elbow back hand mouth ears eyes fingers tummy cheek sandwich coat hands shoes taxi cab train bus seat"
)

# What people ask each other whether it was done, or whether they are.
DOING_EN = _words(
    "feed fed lock locked unlock unlocked see seen bring brought buy bought pick picked eat eaten ate drink drunk "
    "finish finished leave left move moved take took taken wash washed clean cleaned water watered turn turned switch "
    "switched close closed shut open opened pay paid meet met sleep slept wake woken come coming go going went gone home "
    "hungry thirsty tired cold warm ready done put send sent sign signed print printed park parked walk walked drop "
    "dropped grab grabbed hold holding lose lost forget forgot call called text texted cook cooked iron ironed hang hung "
    "charge charged plug plugged unplug set pack packed order ordered eating leaving wearing awake hide borrow borrowed "
    "wait waiting fix fixed use using want need like staying joining sitting talking cooking"
)
# Of these, what an assistant may be asked about: its talk, its looking things up.
DOING_ZH = (
    "喂", "吃", "喝", "洗", "锁", "关", "拿", "带", "买", "看见", "看到", "收", "回来", "到家", "写完", "睡", "饿", "冷", "累", "出门", "下班", "接", "浇", "倒", "开", "充", "修",
    "丢", "交", "签", "寄", "停", "放", "弄", "洗完", "做完", "忙完", "走", "来", "回家", "去接", "打电话", "起床", "换鞋", "穿", "坐",
)  # fmt: skip
# Motion and presence: what the speaker is about to do with their body.
MOVING_SELF_EN = _words(
    "coming leaving going be down back there over right off out late home ready done almost nearly busy head run grab get "
    "fetch pick meet join"
)
KIN_EN = _words(
    "mom mum dad mommy daddy grandma grandpa granny honey sweetie darling babe sweetheart hun love kiddo buddy pal mate "
    "guys folks boys girls son bro sis auntie uncle aunt dear sir madam ma'am"
)
# Fond words that may as well be for a machine.
FOND_EN = _words("dear darling love mate buddy dude man bro pal friend babe honey")
# What is said of somebody's own body, family and day, in Mandarin after 你.
OWNED_ZH = (
    "爸",
    "妈",
    "哥",
    "姐",
    "弟",
    "妹",
    "爷",
    "奶",
    "脸色",
    "头发",
    "衣服",
    "裤子",
    "手",
    "鞋",
    "老师",
    "同学",
    "作业",
)
# Words of talk about talk, and of turning against it: they are for who was talking.
TALK_EN = _words(
    "said say saying mention mentioned mean meant repeat explain question answer part point example summary summarize "
    "version slower faster louder simpler shorter longer detail details topic instead skip rather sentence "
    "word words story list option options beginning middle follow understand confused lost heard hear "
    "earlier before correct wrong mistake compared difference source numbers figure figures"
)
TALK_ZH = (
    "刚才说", "刚说", "你说", "你讲", "什么意思", "的意思", "意思是", "重复", "再说", "解释", "问题", "举个", "例子", "简单", "详细", "总结", "换个", "换一个", "跳过", "话题", "不对", "错了", "没听", "没懂", "不懂",
    "听不", "第一个", "第二", "开头", "前面说", "前面那", "慢一点", "慢点说", "大声", "简短", "长话短说", "区别", "哪一个", "另外", "还有一个", "我问", "我是说", "我想问", "请问", "告诉我", "给我讲", "换成",
)  # fmt: skip
