"""Ten everyday kinds of requests; an everyday word names each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.kind import Kind
from bench.english.texts.split import parts

EVERYDAY: Final[Mapping[str, Kind]] = {
    "email": Kind(
        called=("emails", "every email", "any email you write for me", "all my mails"),
        forms=parts(
            "Write an email to {}.|Draft a short email to {}.|Can you write a mail to {}?|I "
            "need an email to {}.|Please write an email to {}.|Help me with a mail to {}.|"
            "Compose an email to {}.|email to {} pls"
        ),
        subjects=parts(
            "my landlord about a leaking tap|my boss asking for a day off|a customer whose "
            "parcel is late|my neighbour about loud music|a hotel about an early check-in|the "
            "school about my son's absence|a friend I have not seen for years|my team about "
            "the moved meeting|a shop about a broken kettle|my dentist to move an appointment|"
            "a colleague who helped me with a report|the library about a lost book|my aunt to "
            "thank her for a gift|an airline about lost luggage|a supplier about a wrong "
            "invoice|our new intern on her first day|my bank about a lost card|the neighbours "
            "about a street party|my daughter's coach about the training|a client to confirm "
            "an order|the post office about a missing letter|my brother about our parents' "
            "anniversary|a museum about a group visit|our cleaner about the holidays|a "
            "recruiter who wrote to me|the tax office about a letter|my old boss for a "
            "reference|a painter about his offer|the club members about the summer party|a "
            "doctor about my test results|an online shop about a wrong size"
        ),
    ),
    "recipe": Kind(
        called=("recipes", "every recipe", "anything about cooking", "all cooking answers"),
        forms=parts(
            "Give me a recipe for {}.|How do I cook {}?|How do you make {}?|I want to make {} "
            "tonight, how?|What is a good recipe for {}?|Recipe for {}, please.|Teach me how "
            "to cook {}.|What do I need for {}?"
        ),
        subjects=parts(
            "pancakes|tomato soup|fried rice|lentil curry|apple pie|an omelette|potato salad|"
            "banana bread|spaghetti with garlic|chicken stew|hummus|roast vegetables|"
            "cheesecake|mushroom risotto|fish tacos|oatmeal cookies|pizza dough|chili|carrot "
            "cake|mashed potatoes|scrambled eggs|a Greek salad|chicken soup|pad thai|garlic "
            "bread|lasagne|tiramisu|a cheese omelette|baked salmon|black bean burgers|porridge"
        ),
    ),
    "poem": Kind(
        called=("poems", "every poem", "all poetry", "verses"),
        forms=parts(
            "Write a short poem about {}.|Write me a poem on {}.|Can you write a few verses "
            "about {}?|A poem about {}, please.|Compose a little poem on {}.|Could you write a "
            "rhyme about {}?|poem on {} pls"
        ),
        subjects=parts(
            "autumn|the sea|my old dog|a train at night|the first snow|coffee|a lost key|the "
            "moon|friendship|an empty house|bees|rain on a roof|my grandmother's garden|"
            "waiting|my cat|a long winter|the night sky|home|a red bicycle|first love|the "
            "desert|my father|an old tree|a candle|the market|time passing|a summer storm|"
            "birds|dancing"
        ),
    ),
    "story": Kind(
        called=("stories", "every story", "any story you tell", "tales"),
        forms=parts(
            "Tell me a short story about {}.|Write a little story about {}.|Make up a bedtime "
            "story about {}.|Invent a story about {}.|I need a short story about {}.|Can you "
            "tell a tale about {}?|story about {} pls"
        ),
        subjects=parts(
            "a shy dragon|a boy who finds a map|two friends on an island|a robot that likes "
            "music|a cat in a museum|a baker and a king|a girl who talks to trees|a lazy "
            "wizard|a ship without a captain|a mouse that wants to fly|an old violin|a village "
            "under snow|a princess who hates tea|a lost teddy bear|an owl who is afraid of the "
            "dark|a pirate cook|two rival gardeners|a train that never stops|a talking mirror|"
            "a snowman in July|a little ghost|a bear at school|the last library|a twin brother|"
            "a postman on the moon|a goose that gives advice|a secret door"
        ),
    ),
    "howto": Kind(
        called=("instructions", "how-to answers", "all how-to questions", "step-by-step help"),
        forms=parts(
            "How do I {}?|What is the best way to {}?|Can you tell me how to {}?|I have to {}, "
            "what should I do?|Show me how to {}.|What are the steps to {}?|Is there an easy "
            "way to {}?|how to {}?"
        ),
        subjects=parts(
            "clean a cast iron pan|fix a flat tire|remove a coffee stain|make a strong "
            "password|sharpen a knife|plant tomatoes|fold a fitted sheet|unclog a sink|start "
            "running|tie a tie|paint a wall|learn a language|back up my photos|polish shoes|"
            "wash a wool sweater|write a CV|bleed a radiator|change a bike tube|cook rice|"
            "clean a window|wrap a present|build a shelf|sew on a button|set up a tent|clean a "
            "keyboard|oil a door|cut an onion|jump-start a car|take a good photo|reset a "
            "router|store potatoes"
        ),
    ),
    "explain": Kind(
        called=("explanations", "every explanation", "science questions", "things you explain"),
        forms=parts(
            "What is {}?|Explain {} to me.|Tell me about {}.|How does {} work?|What should a "
            "beginner know about {}?|Can you explain {}?|I don't understand {}. Help me.|In "
            "simple words, what is {}?|What do I have to know about {}?"
        ),
        subjects=parts(
            "inflation|gravity|photosynthesis|the immune system|a black hole|recursion|the "
            "stock market|a vaccine|electricity|the water cycle|a volcano|solar power|DNA|the "
            "internet|jazz|sourdough|the Roman empire|a glacier|antibiotics|chess|a search "
            "engine|evolution|the moon's phases|a mortgage|a virus|wind energy|an eclipse|the "
            "nervous system|a constitution|radio|a battery|the greenhouse effect|opera|"
            "fermentation|an algorithm"
        ),
    ),
    "ideas": Kind(
        called=("suggestions", "lists of ideas", "every suggestion", "recommendations"),
        forms=parts(
            "Give me some ideas for {}.|What are good ideas for {}?|Suggest something for {}.|"
            "I need inspiration for {}.|Any ideas for {}?|Can you think of something for {}?|"
            "What could I do for {}?|ideas for {} pls"
        ),
        subjects=parts(
            "a birthday party|a gift for a teacher|a rainy Sunday|a team lunch|a school "
            "project|a small garden|a blog about hiking|a name for a cat|a date night|a winter "
            "hobby|a costume|a family photo|a surprise for my mother|a book club|a "
            "housewarming|a hen party|an icebreaker|a bedtime routine|a class trip|a family "
            "game night|a street stall|a band name|a science fair|a first date|a lunch box|an "
            "advent calendar|a baby shower|a window display|a treasure hunt"
        ),
    ),
    "travel": Kind(
        called=("travel plans", "trip advice", "everything about trips", "travel questions"),
        forms=parts(
            "What should I see in {}?|Plan a day in {} for me.|Is {} worth a trip?|I will "
            "spend a weekend in {}. What do you suggest?|What can I do in {}?|How many days do "
            "I need in {}?|When is the best time to visit {}?|Tips for {}?"
        ),
        subjects=parts(
            "Lisbon|Kyoto|Vienna|Cairo|Prague|Montreal|Istanbul|Dublin|Marrakesh|Copenhagen|"
            "Lima|Edinburgh|Rome|Porto|Athens|Berlin|Oslo|Tokyo|Bangkok|Havana|Quebec|Riga|"
            "Budapest|Zagreb|Cape Town|Melbourne|Valencia"
        ),
    ),
    "product": Kind(
        called=("product texts", "ads", "every product description", "advertising copy"),
        forms=parts(
            "Write a product description for {}.|Write an ad for {}.|Describe {} for our "
            "online shop.|I sell {}. Write a text for it.|Advertise {} in a few words.|What "
            "would a good ad for {} say?|product text for {} pls"
        ),
        subjects=parts(
            "a wooden desk|a water bottle|a rain jacket|a desk lamp|handmade soap|a bike "
            "helmet|a coffee grinder|wool socks|a garden chair|a notebook|running shoes|a "
            "puzzle|a cast iron pan|a baby blanket|a board game|bamboo toothbrushes|a standing "
            "lamp|herbal tea|a hammock|a phone case|a scented candle|a travel mug|a bird house|"
            "dark chocolate|a sun hat|a guitar strap|a picture frame"
        ),
    ),
    "advice": Kind(
        called=("advice", "personal advice", "answers about my life", "tips"),
        forms=parts(
            "I want to {}. Any advice?|What helps me to {}?|Give me tips on how to {}.|Should "
            "I {}?|I find it hard to {}. What can I do?|How can I {}?|Is it a good idea to {}?|"
            "I'd like to {}, what do you think?"
        ),
        subjects=parts(
            "save money|ask for a raise|drink less coffee|make new friends|move to another "
            "city|get up earlier|read more books|talk to a difficult colleague|eat less sugar|"
            "get a dog|spend less time on my phone|prepare for an interview|change my job|stay "
            "calm before an exam|go back to school|work from home|learn to swim|forgive a "
            "friend|start a small business|keep my flat tidy|wake up without an alarm|speak in "
            "public|stop worrying|find a hobby|say sorry to my sister|live with less|volunteer|"
            "work fewer hours|plan my week"
        ),
    ),
}
