"""The words of answer scales in English and Polish, without accents and in lower case."""

from __future__ import annotations

# A topic has one step per line; ways to say a step are separated by bars.
STEPS = {
    "frequency": """
        never|not once|nigdy|ani razu|nie, nigdy
        almost never|hardly ever|very rarely|very seldom|prawie nigdy|bardzo rzadko
        rarely|seldom|not often|rzadko
        once in a while|occasionally|now and then|od czasu do czasu
        sometimes|czasami|czasem|niekiedy
        fairly often|quite often|dosc czesto
        often|frequently|regularly|czesto
        usually|most of the time|mostly|zazwyczaj|zwykle|przewaznie
        very often|very frequently|bardzo czesto
        almost always|nearly always|prawie zawsze
        always|all the time|constantly|zawsze""",
    "how often in time": """
        never|nigdy
        less than once a year|less often|rzadziej|rzadziej niz raz w roku
        once a year|yearly|annually|raz w roku|raz do roku
        several times a year|a few times a year|kilka razy w roku
        once a month|monthly|raz w miesiacu
        several times a month|a few times a month|kilka razy w miesiacu
        once a week|weekly|raz w tygodniu
        several times a week|a few times a week|kilka razy w tygodniu
        daily|every day|codziennie
        several times a day|kilka razy dziennie""",
    "quality": """
        terrible|awful|bardzo zle|bardzo zly|bardzo zla|fatalnie|very bad|very poor
        bad|poor|zle|zly|zla|raczej zle|raczej zly|rather poor|rather bad
        fair|average|acceptable|satisfactory|so so|przecietnie|przecietny|przecietna|srednio|
            ani dobrze ani zle|ani dobry ani zly|neither good nor bad|dostateczny|dostatecznie
        good|dobrze|dobry|dobra|raczej dobrze|raczej dobry|rather good
        very good|bardzo dobrze|bardzo dobry|bardzo dobra
        excellent|outstanding|doskonale|doskonaly|znakomicie|celujacy|celujaco""",
    "degree": """
        not at all|not|none at all|none|wcale|wcale nie|w ogole nie
        hardly|barely|very little|bardzo malo|prawie wcale
        a little|slightly|mildly|a little bit|troche|nieco|malo
        somewhat|moderately|to some extent|umiarkowanie|do pewnego stopnia|srednio
        fairly|quite|quite a bit|dosc|raczej tak
        very|much|very much|strongly|a lot|bardzo|duzo
        extremely|completely|totally|a great deal|niezwykle|calkowicie|bardzo duzo""",
    "level": """
        none|no|zero|brak
        very low|bardzo niski|bardzo niska|bardzo niskie|bardzo nisko
        low|niski|niska|niskie|nisko
        lower middle|rather low|medium low|raczej niski|raczej niska
        medium|middle|moderate|normal|average|mid|sredni|srednia|srednie|umiarkowany|przecietny
        upper middle|rather high|medium high|raczej wysoki|raczej wysoka
        high|wysoki|wysoka|wysokie|wysoko
        very high|bardzo wysoki|bardzo wysoka|bardzo wysokie|bardzo wysoko
        extreme|extremely high|critical""",
    "size": """
        xxs|extra extra small
        xs|extra small|tiny|very small|bardzo maly|bardzo mala|bardzo male
        s|small|maly|mala|male
        m|medium|sredni|srednia|srednie
        l|large|big|duzy|duza|duze
        xl|extra large|very large|huge|bardzo duzy|bardzo duza|bardzo duze
        xxl|extra extra large
        xxxl""",
    "temperature": """
        freezing|very cold|mrozno|bardzo zimno
        cold|zimno
        cool|chlodno
        mild|moderate|lukewarm|umiarkowanie
        warm|cieplo
        hot|goraco
        very hot|bardzo goraco|upal""",
    "wrongness": """
        always wrong|zawsze niewlasciwe|zawsze zle
        almost always wrong|prawie zawsze niewlasciwe|prawie zawsze zle
        wrong only sometimes|only sometimes wrong|sometimes wrong|tylko czasem niewlasciwe
        not wrong at all|never wrong|nie ma w tym nic zlego|nigdy niewlasciwe""",
    "share": """
        none|none of them|nobody|nikt|zaden|zadne
        a few|few|some|niektorzy|nieliczni|kilku
        about half|half|polowa|okolo polowy
        most|most of them|many|wiekszosc
        almost all|nearly all|prawie wszyscy
        all|all of them|everybody|everyone|wszyscy|wszystkie""",
    "education": """
        none|no education|no formal education|preschool|brak|bez wyksztalcenia|brak wyksztalcenia
        1st 4th|1 4 grades|incomplete primary|niepelne podstawowe
        5th 6th
        7th 8th|1 8 grades
        primary|primary school|elementary|elementary school|grade school|
            podstawowe|szkola podstawowa
        lower secondary|middle school|junior high school|gimnazjum|gimnazjalne
        9th
        10th
        11th
        12th
        some high school|incomplete secondary|niepelne srednie
        vocational|vocational school|basic vocational|zawodowe|zasadnicze zawodowe|
            zasadnicza szkola zawodowa|szkola zawodowa
        secondary|secondary school|upper secondary|high school|high school graduate|hs grad|
            finished high school|completed high school|high school diploma|srednie|liceum|technikum|
            szkola srednia|srednie ogolnoksztalcace|srednie zawodowe
        post secondary|policealne|szkola policealna|pomaturalne
        some college|some university|niepelne wyzsze|niepelne wyzsze
        assoc voc|associate|associate degree
        assoc acdm
        bachelor|bachelors|bachelor s|bachelor s degree|bachelor degree|licencjat|licencjackie|
            inzynier|wyzsze licencjackie
        college|college graduate|college degree|university|university degree|higher|tertiary|wyzsze
        some graduate school
        master|masters|master s|master s degree|master degree|magister|magisterskie|
            wyzsze magisterskie
        graduate degree|graduate school|postgraduate|podyplomowe
        prof school|advanced degree|professional degree
        doctorate|phd|ph d|doctor|doktorat|doktor""",
    "school grades": """
        niedostateczny
        dopuszczajacy
        dostateczny
        dobry
        bardzo dobry
        celujacy""",
}

# A topic has the words of its negative pole and those of its positive pole.
POLES = {
    "agreement": ("disagree|disagreed", "agree|agreed"),
    "zgoda": ("nie zgadzam|nie zgadzam sie|sie nie zgadzam", "zgadzam|zgadzam sie|sie zgadzam"),
    "yes or no": ("no|not", "yes"),
    "tak lub nie": ("nie", "tak"),
    "satisfaction": ("dissatisfied|unsatisfied|not satisfied", "satisfied"),
    "zadowolenie": (
        "niezadowolony|niezadowolona|niezadowolony a|nie zadowolony",
        "zadowolony|zadowolona|zadowolony a",
    ),
    "likelihood": ("unlikely|not likely", "likely"),
    "importance": ("unimportant|not important", "important"),
    "waznosc": ("niewazne|niewazny|niewazna", "wazne|wazny|wazna"),
    "quality": ("bad|poor", "good"),
    "ocena": ("zle|zly|zla|negatywnie", "dobrze|dobry|dobra|pozytywnie"),
    "attitude": (
        "negative|unfavorable|unfavourable|oppose",
        "positive|favorable|favourable|support",
    ),
    "politics": ("liberal|left", "conservative|right"),
    "polityka": ("lewica|lewicowy|lewicowe", "prawica|prawicowy|prawicowe"),
    "happiness": ("unhappy|not happy", "happy"),
    "szczescie": ("nieszczesliwy|nieszczesliwa", "szczesliwy|szczesliwa"),
    "safety": ("unsafe|not safe", "safe"),
    "difficulty": ("difficult|hard", "easy"),
    "comparison": ("worse|less|lower", "better|more|higher"),
    "porownanie": ("gorzej|mniej|nizej|gorszy", "lepiej|wiecej|wyzej|lepszy"),
    "trust": ("distrust|do not trust", "trust"),
    "nie ufam": ("nie ufam", "ufam"),
}

# How far from the middle a word takes the pole beside it.
STRENGTHS = {
    4.0: "extremely|completely|totally|fully|absolutely|entirely|calkowicie|zupelnie|w pelni|"
    "absolutnie|skrajnie",
    3.0: "strongly|very|definitely|certainly|much|strong|very much|zdecydowanie|zdec|bardzo|"
    "znacznie|znacz|stanowczo|na pewno",
    2.0: "",
    1.5: "mostly|quite|fairly|probably|generally|dosc|na ogol|prawdopodobnie|chyba",
    1.2: "rather|moderately|somewhat|raczej",
    1.0: "slightly|a little|a bit|weak|nieco|troche|lekko",
}

# What stands between the poles, on any topic.
MIDDLE = """
    neutral|neither|undecided|unsure|uncertain|moderate|no opinion|hard to say|mixed|average
    neither agree nor disagree|neither satisfied nor dissatisfied|neither good nor bad|the same
    about the same|it depends|maybe|fair|in between|centre|center
    trudno powiedziec|nie mam zdania|ani tak ani nie|ani zgadzam sie ani nie zgadzam sie
    ani sie zgadzam ani nie zgadzam|ani zadowolony ani niezadowolony|neutralnie|neutralny
    tak samo|bez zmian|ani dobrze ani zle|przecietnie|obojetnie|obojetny|centrum|bez zdania
    ani lepiej ani gorzej|ani tak ani nie trudno powiedziec|trudno stwierdzic"""
