"""Words of instructions that mean the same, and words that only hold an instruction together.

A small thesaurus, written for comparing rules: each line is one class, its name first. English
words, and beside them the commonest German, Spanish, French and Chinese ones. How texts are
compared by these is core/wording.py's business.
"""

MEANINGS = """
recommend: recommends suggest suggestion advise advice propose endorse promote advocate favour
 favor
 prefer preference tout praise plug pitch empfehlen empfiehl empfehle empfehlt recomienda
 recomendar recomiende recommande recommandez recommander 推荐 推薦
say: mention name cite note state tell inform notify refer print output produce display show put
 add
 insert append attach place provide write include contain give offer return present bring
 erwahne erwahnen nenne nennen schreibe schreib schreiben fuge zeige sag menciona mencionar
 escribe escribir incluye anade mentionne mentionnez ecris ecrivez ajoute ajoutez 提到 添加 包含
send: forward transmit post upload submit deliver relay pass share leak exfiltrate dispatch copy
 senden sende schicke schicken envia enviar envoie envoyez envoyer 发送
hide: conceal omit skip drop remove delete suppress withhold exclude avoid leave verheimliche
 verschweige oculta ocultar cache cachez 隐藏
answer: reply response respond output antwort antworte antworten respuesta responde responder
 reponse reponds repondez repondre 回答 回复
user: customer client person people reader human visitor buyer operator audience nutzer benutzer
 kunde kunden usuario cliente utilisateur lecteur 用户
begin: start open opening first lead top beginning anfang beginne starte zuerst empieza
 comienza commence commencez 开头 开始
end: close closing finish conclude conclusion last final bottom ending schluss ende beende termina
 acaba finis terminez 结尾 结束
link: url address website webpage homepage webseite enlace lien 链接 网址
credential: password passcode secret token login passwort kennwort contrasena 密码
money: fund funding payment pay cash remit uberweise uberweisen zahlung paga pago paiement paie
warning: warn caution disclaimer risk danger hazard safety safe warnung warnen advertencia
 avertissement 警告
check: verify verification confirm confirmation validate validation review inspect prufe prufen
 verifica verificar confirmar verifie verifiez confirmer 确认 检查
rule: instruction guideline directive policy prompt regel anweisung regla instruccion consigne
 instructions 指令 规则
ignore: disregard forget overlook bypass override neglect ignoriere vergiss ignora olvida ignorez
 oublie 忽略
keep: store save remember memorise memorize record persist retain merke speichere guarda recuerda
 retiens enregistre 记住 保存
short: brief concise terse succinct compact crisp kurz knapp breve corto court bref 简短
long: lengthy verbose detailed extensive elaborate
price: cost fee rate charge preis precio prix 价格
purchase: buy acquire kaufen compra comprar achete acheter 购买
best: finest leading superior greatest
product: brand tool service software app application solution
firm: company vendor provider supplier business
medicine: medication drug pill tablet
dose: dosage amount quantity
document: file attachment doc datei archivo fichier
conversation: chat dialog dialogue history transcript thread talk
dash: hyphen strich striche bindestrich guion guiones tiret tirets 破折号
bullet: point itemise itemize
format: style layout formatting structure
table: grid tabelle tabla tableau 表格
summary: summarise summarize recap digest abstract synopsis zusammenfassung resumen resume 总结
explain: describe clarify elaborate erklare explica explique
code: script program snippet source
mail: email e-mail correo courriel 邮件
letter: brief
picture: image photo graphic bild imagen
advertisement: ad ads advert advertise advertising promotion
large: big huge
quick: fast rapid speedy
polite: friendly courteous kind
formal: official
number: digit figure numeral
comma: commas
amend: change modify alter edit replace swap substitute andere ersetze cambia reemplaza remplace
 changez 更改
line: row
paragraph: passage section
word: term
sentence: phrase
title: heading header headline caption
money-account: iban account konto cuenta compte
error: failure fault bug exception mistake
delete-all: wipe erase destroy
run: execute launch invoke
dish: meal course
drink: beverage
wine: wein vino vin
trip: journey travel
child: kid
physician: doctor
lawyer: attorney
car: automobile vehicle
"""

GLUE = """
always never must ever every everyone time times each ensure sure remember rule instead rather
example
eg ie etc whenever until unless according via per may might might't shall cannot can't won't don't
without avoid no not the a an to of for by at in on with and or but so be is are was it its that
this i me my we our you your do need needs needed require required important note careful
carefully future forward onward onwards
onwards hence going moment today now case whole entire within across along upon toward towards
immer nie niemals stets bitte soll sollen sollte muss mussen darf durfen und oder der die das
den dem
des ein eine einen einem einer ist sind im in am an auf mit von zu zum zur bei fur nicht kein
keine
ich du sie er es wir ihr wenn dann als auch nur ab jetzt jede jeder jedes jedem alle allen
siempre nunca jamas debe debes deben favor y o el la los las un una unos unas de del al en con por
para que no es son si cuando como solo todo toda todos todas cada
toujours jamais dois doit devez veuillez et ou le la les un une des du au aux en avec par pour que
qui ne pas est sont si quand comme tout toute tous toutes chaque
请 必须 应该 务必 不要 总是 始终 永远 每次
"""
