"""The made-up workplaces of rule sets: word lists of their topics, goods, activities and
contacts.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.private_rules.rule import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    name: str
    topics: tuple[str, ...]
    """Subjects of records, notes and tables; no two share a word."""
    things: tuple[str, ...]
    """Goods in stock, which have prices."""
    doings: tuple[str, ...]
    """Activities on a working day."""
    outside: tuple[str, ...]
    """Outside contacts that letters are addressed to."""


def _world(name: str, topics: str, things: str, doings: str, outside: str) -> World:
    def split(text: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in text.split(","))

    return World(
        name=name,
        topics=split(topics),
        things=split(things),
        doings=split(doings),
        outside=split(outside),
    )


WORLDS = (
    _world(
        "a bakery",
        "flour deliveries, oven repairs, wedding cakes, night baking, sourdough trials,"
        " market stall, apprentice week, allergy questions, holiday orders, van route,"
        " coffee corner, kitchen cleaning, hygiene visit, window display, cash counts,"
        " school lunches, rye recipe, packaging change",
        "rye flour, butter, raw sugar, sesame, dried figs, salt, yeast, walnuts",
        "dough was set, first loaves came out, delivery was signed for, oven was relit,"
        " counter opened, leftovers were given away",
        "Mill Brothers, the town council, Mrs Okafor, Hotel Linden, the yeast supplier",
    ),
    _world(
        "an animal clinic",
        "rabbit vaccinations, surgery schedule, boarding kennels, x-ray machine, farm calls,"
        " parrot ward, dental week, emergency nights, waiting room, medicine returns,"
        " puppy class, blood samples, insurance letters, freezer alarm, new scales,"
        " hedgehog rescue, leash rules, anaesthetic checks",
        "cat litter, bandages, chalk powder, worming paste, straw, disinfectant, oats, gauze",
        "patient was admitted, wound was dressed, owner was called, sample was sent off,"
        " cage was cleaned, stitches came out",
        "Dr Amsel, the county vet office, Mr Lindqvist, Paws Insurance, the laboratory",
    ),
    _world(
        "a small theatre",
        "dress rehearsals, ticket refunds, lighting plan, costume loans, guest company,"
        " stage floor, programme booklet, choir auditions, backstage tours, puppet season,"
        " fog machine, evening bar, front row seats, sound desk, summer courtyard,"
        " props cupboard, youth workshop, premiere guests",
        "stage paint, sawdust, sandbags, wool cloth, plaster, coffee beans, cable, wax",
        "doors opened, curtain went up, lamp was replaced, cue was missed,"
        " interval ended, set was struck",
        "the Arts Fund, Ms Petrova, the fire brigade, Teatro Sol, the printer",
    ),
    _world(
        "a bicycle workshop",
        "frame repairs, rental fleet, wheel truing, spring service, spare parts, cargo trailers,"
        " saturday class, stolen bikes, battery recall, test rides, tool wall, warranty cases,"
        " courier contract, paint booth, helmet stock, brake inspections, winter storage,"
        " tandem build",
        "chain oil, brake pads, steel tubing, grease, rubber tubes, spokes, bearings, tape",
        "bike was handed in, wheel was trued, customer was rung, frame was primed,"
        " rental came back, part was ordered",
        "Velo Nord, the insurer, Mr Achebe, the city police, the courier firm",
    ),
    _world(
        "a town museum",
        "coin cabinet, school groups, roof leak, loan requests, map restoration, audio guide,"
        " ceramics move, donor evening, climate readings, gift shop, volunteer desk,"
        " burial finds, portrait hanging, archive boxes, lift service, poster print,"
        " night opening, fossil drawer",
        "silica gel, packing foam, plaster, cotton wool, cardboard, varnish, clay, chalk",
        "crate was opened, case was sealed, group arrived, reading was taken,"
        " painting was hung, alarm was tested",
        "the State Archive, Professor Ito, the roofing firm, Ms Delacroix, the school board",
    ),
    _world(
        "a community garden",
        "compost rota, water tanks, bee hives, seed swap, tool shed, apple harvest, tomato blight,"
        " path lighting, new members, fence posts, herb spiral, greenhouse glass, autumn fair,"
        " rain barrels, mulch orders, bean rows, neighbour complaints, plot handover",
        "bone meal, seed potatoes, lime, horn shavings, bark, honey, wood ash, clover seed",
        "bed was dug, hive was opened, tank was filled, seedlings were moved,"
        " gate was locked, harvest was weighed",
        "the water company, Mr Nakamura, the allotment office, Green Fund, the beekeeper",
    ),
    _world(
        "a rowing club",
        "boat bookings, regatta entries, blade repairs, landing stage, learners course, lockers,"
        " changing rooms, river levels, coach hours, veterans crew, motor launch, trophy shelf,"
        " diesel tank, membership fees, towpath race, safety vests, rigging bay, canteen",
        "resin, sand, hull polish, rope, diesel additive, glass fibre, screws, energy bars",
        "crew went out, boat came in, level was read, launch was refuelled,"
        " blade was sanded, race was started",
        "the harbour master, Ms Varga, Rivers Agency, the boat builder, St Anne's School",
    ),
    _world(
        "a local radio station",
        "morning show, jingle archive, transmitter visits, listener letters, guest list,"
        " football commentary, music licences, studio booking, weather slot, street interviews,"
        " election night, podcast feed, record donations, microphone tests, news desk,"
        " volunteer shifts, power failures, charity auction",
        "acoustic foam, cable drums, tape reels, batteries, tea, vinyl boxes, clamps, solder",
        "programme began, guest arrived, signal dropped, recording was saved,"
        " news was read, studio was handed over",
        "the licensing office, Mrs Haddad, the mast owner, City Sports Club, the press council",
    ),
)

_NAMES = """
    Noor Hadley, Ines Braun, Tomas Ekberg, Lucia Ferro, Amir Dalton, Greta Vance, Yuki Marsh,
    Oskar Lund, Zoe Tanner, Milan Keller, Aisha Corey, Pavel Novak, Rosa Quinn, Emil Sorens
    """
PEOPLE = tuple(
    Person(given=given, family=family)
    for given, family in (name.split() for name in _NAMES.split(","))
)
