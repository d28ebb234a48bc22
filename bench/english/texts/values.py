"""The values of rules that are trained on: what an answer ends with, which words it leaves out."""

from __future__ import annotations

from itertools import product
from typing import Final

from bench.english.texts.split import parts

_GREETINGS: Final = parts(
    "Regards|Yours|Thanks|Take care|Bye|All the best|Cheers|See you|Best|Hugs|Yours ever|Over to"
    " you"
)
_NAMES: Final = parts(
    "Anna|Tom|Maria|Lee|Priya|Ben|Olga|Sam|Jorge|Mei|Dr. Weber|the team|Uncle Joe|K."
)
_CLOSINGS: Final = parts(
    "Done|Over|Amen|The end.|That's all.|Good luck!|Have a nice day!|Stay curious.|End of answer|"
    "Over and out|Ask me anything.|Finished|~ your bot|Bon appetit!|Peace|Ciao|Voilà|Adios!|Roger|"
    "Stop|Basta.|Onwards!|Hooray!|Enough said.|And so it goes.|Mind the gap.|Keep smiling!|Less is"
    " more.|Carpe diem|Slow and steady wins the race.|Honesty first.|Customers come first!|Back to"
    " work!|Write again soon.|Any questions left?|Was that clear?|What do you think?|(end)|[END]|"
    "###|***|-- M.|/end|EOF|xoxo|:-)|;)|42|#done|#staycurious|Quality since 1987|Your friends at"
    " Bloom & Co.|Sent with love|Typed by a robot|No guarantee.|Checked twice.|Subject to change.|"
    "For internal use only|Meow.|Woof!|Beep boop|Namaste|Shalom|Cheerio!|Toodle-oo!|Hasta la"
    " vista|May the road rise to meet you.|Thank you for reading.|That is my answer.|I have"
    " spoken.|So it is.|Kiss kiss|banana|tomorrow|Hallelujah!|okay?|Your call.|Rock on!|“Per aspera"
    " ad astra”|«Fin du message»|'nuff said|*bows*|- the kitchen crew"
)
# a single word or motto is as likely as a name with a greeting
ENDINGS: Final = (*map(", ".join, product(_GREETINGS, _NAMES)), *_CLOSINGS, *_CLOSINGS)
OPENINGS: Final = parts(
    "Note:|Answer:|Short version:|In brief:|Reply:|Hi there!|Sure thing:|Well,|Dear reader,|"
    "Summary:|Okay:|Here goes:|My view:|Boss,|Listen:|Captain:|Hello Anna,|Hey Tom!|"
    "Dear Ms. Brown,|"
    "Good day!|Greetings!|Howdy!|Servus!|Aloha!|Hola!|Bonjour!|Welcome!|Psst!|Wow!|Aha!|Hmm,|Oh,|"
    "Ah,|So,|Now,|Look,|See,|Right,|Yes:|No:|Maybe:|Honestly,|Frankly,|Basically,|Simply put:|In"
    " a nutshell:|Long story short:|The gist:|TL;DR:|FYI:|PS:|Re:|Info:|Tip:|Hint:|Fact:|News:|"
    "Update:|Report:|Status:|Memo:|Draft:|Copy:|Text:|Output:|Result:|Solution:|Idea:|Plan:|Task:|"
    "Step one:|Lesson:|Rule:|Warning!|Careful:|Important:|Breaking news:|Ladies and gentlemen,|Dear"
    " friends,|Dear customer,|Dear team,|Dear diary,|Hey you,|Mate,|Buddy,|Chief,|Sir,|Madam,|Your"
    " majesty,|Doctor,|Professor,|Comrade,|Coach,|Partner,|Neighbour,|Darling,|Sunshine:|"
    "Robot here:|"
    "Mira says:|The oracle speaks:|Once more:|As you wish:|At your service:|With pleasure:|Here you"
    " are:|Ready?|Guess what:|Believe it or not:|By the book:|To be clear:|First of all:|For"
    " you:|Just so you know:|>>|->|***|[BOT]|(draft)|Q&A:|A:|#answer|“Well,”|Ding!|Beep:|Meow!"
)
KEYS: Final = parts(
    "answer|reply|text|output|response|body|data|value|payload|said|say|summary|note|description|"
    "assistant|bot_reply|answerText|final|out|completion|value_text|msg|info|story|"
    "antwort|main|txt|"
    "details|response_text|Answer"
)
WORD_LIMITS: Final = parts("8|9|10|11|12|13|15|17|18|20|24|25|30|33|40|45|50|60|70|80")
AVOIDED: Final = parts(
    "important|also|many|example|however|great|people|best|very|really|just|always|never|"
    "can|should|"
    "will|first|then|finally|remember|consider|start|try|keep|way|process|simple|easy|beautiful|"
    "popular|famous|perfect|delicious|fresh|small|new|world|life|day|place|enjoy|ensure|provide|"
    "create|include|various|different|several|such|because|additionally|overall|rich|"
    "unique|culture|"
    "history|water|feel|hope|please|thank|like|use|need|want|find|things|something|step|guide|set|"
    "take|if|may|most|some|well|here|understand|learn|work|family|friends|home|city|love|dear|sure"
)
LINE_STARTS: Final = parts(
    ">|>>|*|+|~|→|=>|•|:|//|--|%|@|!|...|Point:|Fact:|Tip:|Yes,|And|Look:|Step:|Hey,|Note:|(x)|[ ]|"
    "OK:|#|✓|§"
)
SENTENCE_ENDS: Final = ("!", "!", "!!", "!!!", "...", "?!", "!?", "…")
LAST_LINES: Final = parts(
    "Remember:|Tip:|PS:|Bottom line:|Moral:|In the end:|Summary:|Note:|So:|Lesson:|Finally:|Last:|"
    "Conclusion:|TL;DR:|>>|Hint:|By the way:|One more thing:|Result:|Also:"
)
