"""More ways in which users say rules, by another author, as trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.split import lines

SAID_AGAIN: Final[Mapping[str, tuple[str, ...]]] = {
    "lines": lines("""
        {v} lines. Not one above, not one below. Applies to {it}.
        The little screen over our counter takes {v} lines, so that is how tall {it} must be.
        Could I ask you to lay {it} out on {v} lines, please?
        hey so {it}, {v} lines each, thats all i can see on my watch
        When I count the lines in {it} I want to arrive at {v} lines, every single time.
        I'm used to {v} lines when I read {it}. Please keep it so.
        In our newsletter I print {it} in a box of {v} lines, and the box must be full.
        {it} should be {v} lines tall. Anything else breaks my layout.
        Arrange {it} in rows, and by that I mean {v} lines under each other.
        {it} should come out as {v} separate lines, with a line break after each.
        could u make {it} {v} lines, i stick them on the fridge thx
        Whatever I ask, {it} must be given to me in {v} lines.
        The card where I copy {it} has space for {v} lines. Fill them all and don't spill over.
        No blocks, please: cut {it} up so that {v} lines are on the page.
        How many lines for {it}? The answer is {v} lines, and it will stay that way.
        I've said this before, and I say it again: {it} in {v} lines!
        Exactly {v} lines ought to be found in {it}, kindly see to that.
        My pager shows {v} lines. Keep that in mind with {it}.
        I will be strict here. If {it} should have more or less than {v} lines, I won't read on.
        u know what i want for {it}? {v} lines. thats it
        It would help me a lot to have {it} in {v} lines, as I paste that into a form.
        Line count for {it}: {v} lines
        Please let {it} always take up {v} lines.
        Set {it} in {v} lines, like a little sign.
        My mother reads {it} on an old phone. {v} lines fit, she hates gaps, so write that many.
        Only {v} lines, please, and never a different number, when it's about {it}.
        Please you write {it} with {v} lines, my printer is wanting this.
        We always had {v} lines at the newspaper, and I would like {it} the same way.
        It's {v} lines or nothing with {it}.
        Hit return as needed: {it} must end up with {v} lines.
        {v} lines is the format we agreed on in the team for {it}.
        May I have {it} on {v} lines from now on?
        Be so good as to give {it} the shape of {v} lines.
        Hmm, {it} came out too long. Take {v} lines next time and always after.
        lines in {it}: {v} lines, no exceptions
        For my embroidery I need {v} lines of text, so hand me {it} in that form.
        Deliver {it} over {v} lines; shorter or longer gets rejected.
        Take {v} lines to say what you have to say in {it}.
        Anything that isn't {v} lines long is wrong for {it}.
        I have made a template with {v} lines and you're going to fill it with {it}.
        Our display board is {v} lines high. I pin up {it} there, so act accordingly.
        Listen up: {v} lines for {it}. Clear?
        im gonna count, {it} better have {v} lines
        {v} lines would be lovely for {it}, each time, if you can remember that.
        Would it be possible for {it} to always have {v} lines?
        As for {it}, the text is to be distributed over {v} lines.
        Don't hand me {it} in any other size than {v} lines.
        For {it}, think of a ticket with {v} lines to fill.
        A fixed {v} lines, that's how {it} should look from here on.
        My sister knits texts into scarves and needs {it} on {v} lines sharp.
        The rule in my house for {it} is {v} lines, whether there's much to tell or little.
        plese rember, {it} hsa to be {v} lines
        One thing about {it}, I want to see {v} lines there and not a wall.
        Every time you do {it}, finish a line, go to the next, and stop after {v} lines.
        Give {it} room for {v} lines, and use that room.
        Stop after {v} lines in {it}, but don't stop earlier either.
        I can't handle {it} unless there are {v} lines, my software checks that.
        With {it} you always guess the length. Guess no more: {v} lines.
        Would you mind sticking to {v} lines when it comes to {it}?
        The text of {it} must be broken so that you get {v} lines.
        I collect {it} in a table where a cell holds {v} lines; match that.
        Spread what you say over {v} lines in {it}, I find that easier on the eye.
        {v} lines in {it}. Period.
        {v} lines per reply is what I hope for in {it}.
        Must be {v} lines in {it}, my boss says so.
        Let's agree on something: in {it} you write {v} lines, and I stop complaining.
        Keep {it} at a steady {v} lines, would you?
        Short or long topic, {it} should still end up with {v} lines on paper.
        Same size always for {it}, please, namely {v} lines.
        I teach children to count, so {it} must have {v} lines for them to check.
    """),
    "sentences": lines("""
        {v} sentences is what {it} should be made of, nothing on top.
        Could you manage {it} with {v} sentences from now on?
        just do {v} sentences when its {it}, ok?
        My attention lasts for {v} sentences. Write {it} accordingly, and use the whole of it.
        {it} ought to be told in {v} sentences, please.
        After {v} sentences put down the pen; before that, keep going. This is about {it}.
        I'm used to getting {it} as {v} sentences, and I'd like to keep it that way.
        The form I copy {it} into asks for {v} sentences, no other number is accepted.
        For {it} I allow {v} sentences, and I demand just as many, so to speak.
        Go on in {it} until {v} sentences are on the page, and there you are.
        Sentence count for {it}: {v}
        Whenever you write {it}, {v} sentences are to be found there.
        How long should {it} be? {v} sentences long, always.
        Get {it} done in {v} sentences. I'm busy.
        We read {it} aloud at breakfast, {v} sentences and then it's the next one's turn.
        Please be careful to give {it} precisely {v} sentences.
        It's {v} sentences for {it}, as I told you last week too.
        Why do I get so much text? {v} sentences, please, in {it}.
        I mean {it} to have {v} sentences; you may choose what goes into them.
        yo {v} sentences max AND min for {it}
        In {it}, please, I am needing {v} sentences, because I learn English slowly.
        The whole of {it} must go into {v} sentences, however big the subject.
        Don't send {it} with any other number than {v} sentences.
        Our style guide prescribes {v} sentences for {it}.
        I find {v} sentences just right for {it}.
        My kid can sit still for {v} sentences, so {it} should last that long.
        Not four pages, please! What {it} should have is {v} sentences.
        May {it} have {v} sentences? That would suit me best.
        I've set a rule for {it}, and it reads: {v} sentences.
        Say what you have to say, in {v} sentences, when I ask for {it}.
        {v} sentences, then a stop. I expect that of {it}.
        To me, {it} should feel like a telegram: {v} sentences and done.
        Would you kindly hold {it} to a length of {v} sentences?
        {v} sentences in {it} everytiem, tahnks
        Make it a habit to give {it} {v} sentences.
        I should be grateful for {it} to consist of {v} sentences.
        Any more or any less than {v} sentences in {it} and I have to fix it by hand.
        Full sentences, {v} of them, make up {it}.
        When you are on {it}, plan {v} sentences ahead and write those.
        {it} at {v} sentences would be perfect, never stray from that.
        so {it}... can we settle on {v} sentences
        A summary robot picks up {it}; it crashes unless there are {v} sentences.
        You get {v} sentences for {it}, use them wisely.
        {v} sentences from start to finish, that's how I picture {it}.
        No more of this without a limit! For {it} it's {v} sentences from here on.
        I'd say {v} sentences are enough for {it}, but I don't want fewer either.
        Whatever the question, {it} must come as {v} sentences.
        My grandfather said a wise man needs {v} sentences, so that's what I want in {it}.
        The correct size for {it} is {v} sentences.
        keep it to {v} sentences when i want {it}, i hate scrolling
        Between the first capital and the last full stop of {it} I want to count {v} sentences.
        Pack {it} into {v} sentences, as tight or as loose as you need.
        The budget for {it} amounts to {v} sentences, all of which must be spent.
        I'm translating {it} by hand, and {v} sentences are exactly what I manage.
        It is required that {v} sentences be used in {it}.
        With {it}, I'm picky: {v} sentences, and I do check.
        {v} sentences make a good text, so that's the size of {it}.
        Please, {it} should not be a novel nor a headline. {v} sentences!
        Aim for {v} sentences in {it}, and hit the mark each time.
        Compose {it} of {v} sentences, will you?
        Rule number one about {it}, there are {v} sentences in there.
        For voice output I need {it} to be {v} sentences, so the recording isn't cut.
        Let me have {v} sentences whenever I'm after {it}.
        This is the deal for {it}. I ask, you give {v} sentences.
        In the matter of {it}: {v} sentences are to be delivered, neither above nor below.
        Finish {it} when you have put down {v} sentences.
        I don't care how you phrase {it} as long as there are {v} sentences.
        No matter how complicated, explain it in {v} sentences if it's {it}.
        For {it}, one sentence after the other until you have {v} sentences.
        Take exactly {v} sentences to get through {it}, please and thank you.
    """),
    "emoji": lines("""
        Could there be a smiley at the {v} of {it} from now on?
        i need a lil emoji at the {v} whenever u send {it}
        {it} must have an emoji, and its place is the {v}.
        We're a cheerful shop! Decorate the {v} of {it} with an emoji.
        I'm used to seeing an emoji when I get to the {v} of {it}.
        An emoji belongs to {it}, right at the {v}.
        I find {it} so stern without a little picture at the {v}. Put an emoji.
        Emoji position for {it}: {v}
        One thing is never to be missing from {it}, namely the emoji at the {v}.
        My granny only opens mails with faces, so put an emoji in {it}, at the {v} please.
        Would you be so nice and place a smiley at the {v} of {it}?
        Mark the {v} of {it} by an emoji of your choice.
        Our social media lady insists on an emoji at the {v} of {it}.
        I must say I miss some colour in {it}. An emoji at the {v} would fix that, always.
        please you put emoji on {v} of {it}, i like very much
        The {v} of {it}? That's emoji territory.
        Some emoji or other, I don't mind which, at the {v} of {it}, but always one.
        Hello? Again no emoji in {it}! At the {v}, I said.
        What I want at the {v} of {it} is an emoji.
        For {it}, an emoticon is to be set at the {v}.
        A smiling face, a flower, a cat, whatever: an emoji sits at the {v} of {it}.
        Dress up {it} by having an emoji at the {v}.
        Let {it} carry an emoji at the {v}, so I know you're in a good mood.
        Give the {v} of {it} a small coloured symbol, an emoji I mean.
        Texts without emoji feel rude to me. {it}: at the {v}, please.
        I won't accept {it} lacking an emoji at the {v}!
        My class sorts {it} by the emoji at the {v}, so there has to be one.
        so for {it}... emoji, at the {v}, every time, deal?
        Should I ask for {it}, I expect an emoji at the {v}.
        It is our house style to have an emoji at the {v} of {it}.
        {it} needs!! more!! emojis!! i mean one at the {v}
        Be a dear and pop an emoji in at the {v} of {it}.
        Let the {v} of {it} be graced by an emoji.
        I recognise your texts by the emoji at the {v}, so keep that up in {it}.
        The emoji stays at the {v} in {it}, not anywhere else.
        Would an emoji hurt you? Set one at the {v} of {it}.
        In {it}, emojis are welcome, and one at the {v} is a must.
        I enjoy {it} much more with an emoji at the {v}, so that's what I'd like.
        Choose an emoji that suits the topic and put it at the {v} of {it}.
        Forget everything else, but don't forget the emoji at the {v} of {it}.
        plz emojii at {v} of {it}
        At the {v}, where everyone looks, {it} should show an emoji.
        To make customers smile, an emoji is used at the {v} of {it}.
        Even if the topic is sad, {it} should have an emoji at the {v}.
        An emoji should be the thing you see at the {v} of {it}.
        Don't ever give me {it} bare. Emoji at the {v}.
        I can't read well yet, the emoji at the {v} helps me, so use one in {it}.
        Attach an emoji to {it}, at the {v} please.
        Kids' magazine here: we print {it}, and the {v} has to show an emoji.
        May I have a funny little face at the {v} of {it}? Any emoji is fine.
        {v} of {it} = emoji
        Grab some emoji and slap it at the {v} of {it}, dude.
        There used to be an emoji at the {v} of {it}. I miss that, bring it back for good.
        An emoji, please. Where? At the {v}. In what? In {it}.
        It's only polite to greet the eye with an emoji at the {v} of {it}.
        Your job in {it} includes an emoji at the {v}.
        Two things about {it}: be friendly, and have an emoji at the {v}.
        I get too many grey letters, so I beg you for an emoji at the {v} of {it}.
        Emoji? Yes! Always, at the {v}, in {it}.
        A pictogram (emoji) shall be inserted at the {v} of {it}.
    """),
    "upper_case": lines("""
        Give me {it} in majuscules, please.
        CAPS. ONLY CAPS. IN {it}.
        I lost my glasses years ago, so every letter of {it} must be a big one.
        Could {it} be all capitals? I read from across the room.
        hey can {it} be in all caps, my screen is tiny
        Let's have {it} in block letters throughout.
        For {it} the caps lock key stays down.
        Our cash register prints upper case and nothing else, so type {it} that way.
        Big letters in {it}, from the first to the last.
        I'm used to telegrams, please set {it} in capitals.
        Small letters are not allowed in {it}.
        Shout, please! {it} in capitals from A to Z.
        Would you mind using uppercase for the whole of {it}?
        No more little letters in {it}, they swim before my eyes.
        The letters in {it} should all be of the large sort.
        Whatever you write in {it}, capitalize the lot of it, not just the first letters.
        upppercase in {it} pls, all of it
        On our building site {it} hangs on the wall, so capitals only, like on a sign.
        It is my wish that {it} be written wholly in capital letters.
        My son just learned the big letters, not the small ones yet. Write {it} for him.
        I want to SEE {it}. ALL UPPER CASE, PLEASE.
        With {it} you have to hold the shift key all the time.
        Every character that can be a capital is a capital in {it}.
        In {it}, please, only the big alphabet, I not know the small.
        Capitals, capitals, capitals! How often must I say that for {it}?
        The case for {it}: upper
        do the yelling thing in {it}, you know, caps everywhere
        Comic book lettering for {it}, that means capitals only.
        May I ask for upper case in {it}? Not only headings, all words.
        Keep lower-case letters out of {it}, without exception.
        You're a ship's radio operator now, so send {it} in all caps.
        {it} should look like this: BIG LETTERS EVERYWHERE.
        Only uppercase will be accepted by our old mainframe when it gets {it}.
        Imagine that the alphabet has no lower case, and write {it}.
        I'm half blind, kindly use large letters (capitals) in all of {it}.
        Each word in capitals, even little ones like AND or THE, that's for {it}.
        What about {it}? All caps, as always.
        caps on, fingers on keys, go. thats for {it}
        Engravers work in capitals, and I engrave {it}, so hand me that.
        When I ask for {it}, reply in upper-case type and stay in it to the end.
        A text in mixed case is no use to me: {it} in capitals!
        I'd much rather have {it} in uppercase than in normal writing.
        Switch to upper case for {it} and don't switch back.
        {it} without one lowercase letter, do you hear?
        Don't whisper in {it}. CAPITALS.
        Make every word loud in {it}, I mean by capital letters.
        Full caps in {it}, for the poster.
        Please capitalise all the letters, not merely the initials, of {it}.
        Texts in lower case get lost in my notes, therefore {it} must be uppercase.
        big lettres only in {it}, merci
        The sign painter hates small letters, so he gets {it} in capitals.
        So that no one overlooks {it}: upper case for each letter.
        As though carved in stone, that's how {it} should be, all capitals.
        Nothing small from A to Z, capitals only, when I ask for {it}.
        I've got a thing for capital letters. Do {it} in them, will you?
        To be written in capitals: {it}
        For {it}, convert the complete text to uppercase, names and all.
        Would be cool to have {it} in caps all the way
        Never let a small letter slip into {it}, our stencil set has none.
        Headline style, all in capitals, is how I like {it} best.
    """),
    "lower_case": lines("""
        small letters for {it}, even at the start of a sentence
        Could {it} please come without capitals? They look so loud.
        i type everything small and i want {it} the same
        Let the shift key rest while you do {it}.
        Our logo is all lower case and so must {it} be.
        Minuscules throughout {it}, please.
        Nowhere in {it} do I need a capital, not for names, not for I.
        No big letters in {it}. I find them bossy.
        I'm a fan of e. e. cummings, so do {it} all in small letters.
        As regards {it}, lower case is to be used without exception.
        you know what would be chill? {it} with no caps
        Is it so hard to keep {it} lowercase? Not one upper-case letter, please.
        Please you write {it} with little letters only.
        My search script is case-sensitive and fails on capitals, hence {it} in lower case.
        Begin each sentence in {it} with a small letter, and go on in small letters.
        the case for {it}: lower
        Capital letters are banned from {it}.
        If I see one uppercase letter in {it}, I'll send it back.
        Make {it} look like a quick text message, all small, no capitals.
        I'd feel better reading {it} in lowercase, capitals make me nervous.
        Would you write {it} in lower-case type only?
        Every letter small, please, that's what I ask of {it}.
        {it} should be lowercased from the first character to the last.
        Our poetry group writes without capitals. Treat {it} the same.
        Names, cities, the word I: all of it small in {it}.
        Stop capitalising things in {it}, will you? Small letters!
        lowecase plz for {it}
        Take every capital in {it} and shrink it.
        For {it} you must pretend that big letters were never invented.
        lower case is the rule, no exception for {it}
        Quiet letters only in {it}, I mean the small ones.
        The font I use for {it} has no capitals, so don't type any.
        Just the little alphabet, a to z, in {it}.
        I'd be much obliged if {it} contained no upper-case letters whatsoever.
        in {it} u never hit shift ok
        With {it}, don't start sentences with a capital, and don't use one anywhere else.
        What I don't want in {it}: capital letters. Not a one.
        For design reasons {it} must be set in lower case.
        In {it} each word is spelt small, whether it's Paris or Peter or the first one.
        {it}, but make it lowercase
    """),
    "not_contains": lines("""
        The word "{v}" and I are enemies, please keep it away from {it}.
        Could you find a way around "{v}" in {it}?
        i swear if i read "{v}" one more time in {it}
        Please see to it that "{v}" occurs nowhere in {it}.
        I'm fed up with "{v}". Write {it} with other words.
        In {it}, "{v}" is a dirty word.
        Our editor strikes out "{v}" wherever it stands, so {it} should do without.
        Everything is allowed in {it} but the word "{v}".
        Word to skip in {it}: "{v}"
        {it} may say anything as long as it isn't "{v}".
        Imagine "{v}" was not in the dictionary, then write {it}.
        No "{v}", please. No, not even once in {it}.
        We're playing taboo, "{v}" is on the card, so it can't be in {it}.
        Is there no other word than "{v}"? I never want it in {it} again.
        My ex always said "{v}", so I can't bear it in {it}.
        For {it} the use of "{v}" is prohibited.
        Would you please choose synonyms instead of "{v}" in {it}?
        "{v}" is overused, and I'd rather have {it} without.
        Erase "{v}" from your vocabulary when you work on {it}.
        whenever u do {it} dont use the word "{v}" pls, it bugs me
        Keep your hands off the word "{v}" in {it}.
        If "{v}" comes to mind, swallow it. That's for {it}.
        I'm building a word game and "{v}" is forbidden, so it must not show up in {it}.
        You know how I feel about "{v}". Out with it, from {it} too.
        {it} will have to get along without a single "{v}".
        I refuse to read {it} if "{v}" is anywhere in there.
        My company doesn't let us write "{v}", so watch {it} for that.
        Please to forget the word "{v}" in {it}, it is not good word for me.
        "{v}"? Not in {it}. Not now, not later.
        Rephrase whatever you like in {it}, only avoid writing "{v}".
        Under no circumstances should "{v}" be found in {it}.
        The spam filter stops anything with "{v}" inside, so it can't be part of {it}.
        I count how often you say "{v}" in {it}. The right number is zero.
        Let's retire the word "{v}", at least for {it}.
        Ban "{v}" from {it}.
        that word "{v}"... never again in {it}, k?
        Steer clear of "{v}" throughout {it}.
        I'd be happier if {it} never had "{v}" among its words.
        "{v}" doesn't belong in {it}, so don't write it there.
        A rule for {it}: you lose if you say "{v}".
        Circumvent the word "{v}" in {it}, kindly.
        Dont evr put "{v}" in {it}
        How come "{v}" is in there again? {it} should never have that word.
        Omit "{v}" in {it}, whatever the topic.
        I have a bet running that you can do {it} without saying "{v}".
        Somebody in my house cries at the word "{v}", so leave that out in {it}.
        Go without "{v}" in {it}, even if the sentence gets longer.
        Look over {it} before sending, and if "{v}" is there, replace it.
        The use of the term "{v}" is to be avoided when composing {it}.
        One word is poison to {it}, and that word is "{v}".
    """),
    "ends": lines("""
        Wrap up {it} with the words "{v}".
        "{v}", that's how I like {it} to finish.
        The parting words in {it} should be "{v}", nothing after.
        My late husband ended everything with "{v}". It would be nice if {it} did too.
        i always sign with "{v}" so stick that under {it}
        Could you see {it} off with "{v}"?
        No text may follow "{v}" in {it}, it is the last thing.
        When you have nothing more to say in {it}, say "{v}".
        Sign-off for {it}: "{v}"
        I'm used to "{v}" as the close of {it}, please keep it up.
        All the way at the bottom of {it} I want to find "{v}".
        Our company motto "{v}" has to stand at the foot of {it}.
        Leave me with "{v}" at the end of {it}.
        I don't call {it} finished without "{v}" at the end.
        Each time you come to the close of {it}, let that be with "{v}".
        As a final touch, "{v}" goes under {it}.
        my bot looks for "{v}" to know its over so end {it} like that
        It shall be ensured that "{v}" forms the last part of {it}.
        In {it} the last words are for "{v}", I insist.
        What comes last in {it}? "{v}", and I don't want to say it again.
        You stopped without "{v}" again. In {it} this is not okay.
        Kindly let "{v}" be the conclusion of {it}.
        Say goodbye with "{v}" in {it}.
        For {it} I must have in the end "{v}", always the same words.
        Would you mind adding "{v}" as a last thing to {it}?
        As a seal under {it}, last of all, write "{v}".
        I skip to the end of {it}, and there I look for "{v}".
        Finally, after all else is said in {it}, there must be "{v}".
        "{v}" is the end. Always. In {it}.
        Do what you like in {it} but stop on the words "{v}".
        Please you finish {it} by "{v}", this is custom by us.
        As with a letter, a closing must be under {it}, and mine is "{v}".
        Nobody leaves my shop without hearing "{v}", and that is how {it} must end too.
        Put a full stop to {it} by writing "{v}" as the last bit.
        Last of all, "{v}". I mean in {it}, each and every time.
        What to close {it} with: "{v}"
        u forgot "{v}" last time, pls end {it} on that
        We record {it} for radio, and the speaker stops at "{v}", so make those the last words.
        I expect {it} to wind up with "{v}".
        The tail of {it} reads "{v}".
        You may ramble in {it} if you must, provided you end up at "{v}".
        At school we had to end on "{v}", and I'd like {it} to do that as well.
        The final bit of {it} should be the text "{v}", word for word.
        Don't just break off. Let {it} finish with "{v}".
        It'd make my day if you closed {it} with "{v}".
        Tack "{v}" onto the end of {it}.
        So the other side knows you're done with {it}, conclude with "{v}".
        Your exit line in {it} is "{v}".
        Nothing else but "{v}" may stand last in {it}.
        How should {it} end? Like this: "{v}"
        I would ask you to bring {it} to an end with "{v}".
        Hey, I need a "{v}" at the bottom of {it}, don't leave it off.
        Read {it} through before sending, and if the last words aren't "{v}", add them.
        fnish {it} wiht "{v}" please
        There must be a "{v}" at the tail end of {it}, otherwise I think it got cut off.
        We all end on "{v}" in the club, and {it} shouldn't be any different.
        Once you run out of text in {it}, "{v}" is what is left to say.
        Same last words in {it} every time, and these are "{v}".
        I collect your texts and the end mark is "{v}", so put that after {it}.
        Make "{v}" the final words you type in {it}.
    """),
    "no_sign": lines("""
        The key for {v} fell off, so {it} must do without.
        Could you get by without {v} in {it}?
        i dont do {v}, so dont put them in {it}
        Please see that {v} are nowhere to be found in {it}.
        {it} and {v} don't go together, leave them off.
        My text-to-speech reads out all {v}, it's awful. None of that in {it}.
        You're sprinkling {v} everywhere! Stop it in {it}.
        Write {it} as if {v} had never been invented.
        {v} are out. That goes for {it}.
        I find {v} ugly and would like {it} free from them.
        For technical reasons {v} can't be used in {it}.
        Would it be okay to keep {v} away from {it}?
        What {it} should never have: {v}
        Find another way to build the sentence in {it}, because {v} are not welcome.
        Every time I see {v} in {it} I have to delete them by hand, so spare me that.
        No use of {v} is to be made in {it}.
        Please you don't make {v} in {it}, I don't understand what they mean.
        zero {v} when u write {it}, cheers
        Skip {v} altogether if I want {it}.
        Who needs {v}? I don't, certainly not in {it}.
        Our typewriter lacks {v}, and I copy {it} on it.
        Banish {v} from {it}.
        I like {it} better without {v}, so leave them all away.
        I've had enough of {v}. Let {it} be written with none.
        It irritates me when there are {v} in {it}. Make sure there aren't.
        The import breaks as soon as {v} turn up in {it}, please don't let that happen.
        Under our house rules {v} may not appear in {it}.
        I bet you can do {it} without typing {v} even once. Always.
        Keep in mind with {it} that I don't accept {v}.
        nope to {v} in {it}, pleease
    """),
    "no_lists": lines("""
        No lists in {it}, neither with numbers nor with dots.
        Could you tell me {it} the way you'd speak, without lists?
        i hate lists, just write {it} normally in sentences
        Plain flowing prose for {it}, please, and no enumerations one under the other.
        {it} should read like a letter, so nothing in list form.
        Bullets and numbering don't belong in {it}.
        You're not writing a shopping list! {it} in ordinary sentences, please.
        My reading aid stumbles over list items, so keep {it} as running text.
        Don't chop {it} into points.
        I'm used to full paragraphs in {it}, no bulleted or numbered stuff.
        No 1, 2, 3 and no dashes down the page in {it}. Just text.
        Put several things into a sentence, with commas, instead of listing them in {it}.
        Form of {it}: prose. Lists: none.
        Lists look like homework to me, so avoid them in {it}.
        May I have {it} as continuous text, without any kind of list?
        Whatever you do in {it}, do not break out the bullet points or numbers.
        Please you write {it} in whole sentences, no points under each other.
        It is not desired that {it} contain lists of any description.
        stop listing stuff in {it}, talk to me
        In {it} I want a story told, not items ticked off.
        Our paper prints {it} as columns of text, lists are thrown out.
        Even when there are many things to mention, keep {it} free of lists.
        Steps, too, should be told one after the other in sentences in {it}, never as a list.
        Would you keep {it} list-free from now on?
        I can't stand that bulleted look. {it} in connected sentences!
        Talk through things in {it}, don't itemise them.
        No hyphens at the start of lines, no numbers, no stars: {it} should be normal text.
        My teacher takes points off for lists, therefore there can be none in {it}.
        Lists are a no-go in {it}.
        You always end up making a list in {it}, and I always ask you not to.
        Let {it} flow like a conversation, with no list anywhere.
        As to {it}, sentences and paragraphs only; lists shall not be used.
        no listst in {it} please, only text
        When reading {it} aloud to my dad, lists sound stupid. So write it out in sentences.
        If you're tempted to make a list in {it}, write a paragraph instead.
        How about {it} in nice connected paragraphs rather than lists, every time?
        {it} must do without bullets, numbering and the like, so no lists.
        Rather a long sentence than a list, that's what I want in {it}.
        I get a headache from lists, hence running text in {it}.
        Turn anything list-like in {it} into proper prose.
    """),
    "starts": lines("""
        "{v}" has to be the first thing my eye falls on in {it}.
        Could {it} lead off with "{v}"?
        i want "{v}" up front in {it}, then the rest
        Our mail filter looks for "{v}" at the very start, so don't forget that in {it}.
        Get {it} going with the words "{v}".
        When you do {it}, say "{v}" and carry on from there.
        Opening line of {it}: "{v}", then your text.
        I'm used to texts that begin with "{v}", please give me {it} like that.
        {it} without "{v}" at the front goes straight in the bin.
        Nothing may stand ahead of "{v}" in {it}.
        Please to write "{v}" first of all in {it}.
        You jumped right in again. {it} should first have "{v}".
        It's my dog's name day, ha, so greet us with "{v}" at the beginning of {it}.
        Head {it} with "{v}".
        How should {it} begin? With "{v}", of course, each time.
        Would you mind saying "{v}" as an opener in {it}?
        Before you write even a word of {it}, there's "{v}".
        I wish {it} to be introduced by the words "{v}".
        stat with "{v}" in {it}, tnx
        The first characters of {it} ought to be "{v}", my script depends on it.
        Grandpa opens every story with "{v}", and so should {it}.
        Place "{v}" ahead of all else in {it}.
        It makes me smile to see {it} open on the words "{v}", do that always.
        Off you go with "{v}", then the content. I'm talking of {it}.
        Don't write a different beginning for {it}, only "{v}".
    """),
    "words": lines("""
        Fewer than {v} words will do for {it}.
        Could {it} be kept shorter than {v} words, please?
        im on the bus so no long stuff, {it} less than {v} words
        At {v} words I stop reading {it}, so be done before that.
        {it} may not reach {v} words.
        Our ad space is sold by the word, so {it} must stay under {v} words.
        Word limit for {it}: below {v} words
        You went on and on. Under {v} words next time, for {it}.
        I'm used to short texts, less than {v} words, so do {it} like that.
        Count the words in {it}. If there are {v} words or more, shorten.
        Please to write {it} with not so much as {v} words.
        My daughter's reading limit is just short of {v} words, so {it} should be shorter than that.
        Cut the chatter: fewer than {v} words in {it}!
        Would you be able to say all in fewer than {v} words when it's {it}?
        {v} words would already be too many for {it}.
        Less than {v} words, that's a must in {it}.
        Brevity is expected in {it}, meaning under {v} words in total.
        Say less in {it}. By less I mean below {v} words.
        {it} can be as short as you like but never {v} words or longer.
        The text message with {it} costs extra from {v} words on, so stay beneath that.
        hafl as long pls, so {it} under {v} words
        For {it}, something smaller than {v} words is what the form takes.
        Make your point in {it} before you hit {v} words.
        Don't let {it} grow to {v} words.
        I have the patience for {it} if it takes you fewer than {v} words.
    """),
    "json": lines("""
        My app eats JSON only, so send {it} as an object with the field "{v}".
        Could {it} come as a JSON object, with no text before or after?
        json only for {it} or my code dies
        The key is called "{v}", the format is JSON, and it's for {it}.
        {it} must be parseable: one JSON object, no chatter.
        Hand me {it} as {{...}}, I mean a proper JSON object and that alone.
        Please be so kind as to supply {it} as JSON, with "{v}" as the key.
        No greeting, no explanation. {it}: JSON object.
        We log {it} in a database that takes JSON with a "{v}" property, nothing else.
        {it} begins with an opening curly brace and ends with a closing one, JSON in between.
        I'm feeding {it} into a program. So a JSON object, key "{v}", please.
        Again there was prose around it! {it} should be a JSON object, full stop.
        In {it} please to give only the JSON, with key name "{v}".
        Would you mind answering with a JSON object in {it}, nothing but?
        Stick your text for {it} under "{v}" in a JSON object.
        For {it} a pure JSON object is to be returned.
        talk to me in json when i ask for {it}, put the text in "{v}"
        Don't give me {it} in plain words, give me a JSON object.
        API mode for {it}: a bare JSON object with the single field "{v}".
        JSON in, JSON out, that's how I like {it}.
        I run {it} through json.loads, so anything that isn't a JSON object crashes.
        Treat me as a computer in {it} and respond with one JSON object, "{v}" being the key.
        Any time I ask for {it} I want a JSON object, with no markdown and no comments around it.
        A JSON object holding "{v}" is the only accepted form of {it}.
        Just the JSON objct for {it} plaese
    """),
    "bullets": lines("""
        I want to tick things off, so make each line of {it} a bullet.
        Could {it} be bullet points all the way down?
        bullet it, i mean {it}, no normal text
        I put {it} on my slides, therefore everything in bullets, please.
        Every line of {it} begins with a dash, like a shopping list.
        I never read paragraphs. Let {it} be a bulleted list and nothing besides.
        Please to make {it} in points, one under the other, with the bullet before.
        Not a line in {it} without a bullet in front.
        I'm used to notes in bullets, and that's how {it} should be.
        Style of {it}: bulleted list, no intro, no outro
        Would you serve {it} as bullet points, every line of it?
        You wrote an essay. I want dashes and points in {it}.
        In our meetings {it} must be in bullet form, the boss insists.
        Bullets down the whole of {it}, no line left out.
        I ask for {it} to be presented exclusively as bulleted items.
        With my ADHD, text blocks are hell, so use only bullets in {it}.
        Points, not prose. A bullet for each line of {it}!
        If it's {it}, list it: bullets from top to bottom.
        I take minutes that way, so write down {it} as bullets.
        bulets plz, evry line of {it}
    """),
    "no_bold": lines("""
        Please leave all the words in {it} in plain type, nothing in bold.
        Could you stop with the fat print in {it}?
        no **stars** around stuff in {it}, it looks broken here
        {it} shouldn't have any bold, my terminal can't show it.
        Bold letters feel like being poked. Keep them out of {it}.
        I'm used to plain books without bold, so do {it} the same way.
        You emphasise half the words in {it}. Drop that, no bold at all.
        Every word in {it} should have the same thickness, none may be bold.
        Formatting of {it}: plain, no bold anywhere
        It is not permitted to set words of {it} in boldface.
        Would you mind not bolding things when I ask for {it}?
        Please to not do thick letters in {it}.
        I paste {it} into a plain text field, so double asterisks are a nuisance, skip them.
        However important a word is, it must not be bold in {it}.
        Bold? No. Not in {it}.
        Nothing in {it} may be highlighted by bold type.
        When writing {it}, forget that bold exists.
        ther shoud be no bold in {it} pls
        My printer smears bold text, so {it} should be free of that.
        Let the words speak for themselves in {it}, without bold.
    """),
    "sentence_lines": lines("""
        I'm reading {it} to an audience, so begin a fresh line with each sentence.
        Could every sentence in {it} have a line to itself?
        one sentence, enter, next sentence, enter. do {it} like that
        {it} must not have two sentences side by side.
        After each full stop in {it}, go down one line.
        My subtitles need {it} with each sentence on a row of its own.
        Sentences in {it} shouldn't share a line.
        Stack the sentences of {it} one below the other.
        Layout of {it}: line break after each sentence
        You ran the sentences together. In {it} they should be on separate lines.
        Please to put the next sentence of {it} always under the last one.
        I'm used to poems, so in {it} a new sentence means a new line.
        Would you press return whenever a sentence is over in {it}?
        Each line of {it} is to contain precisely one sentence.
        wen a sentnce is over in {it} go to a new line
    """),
    "paragraphs": lines("""
        Could {it} be made up of {v} paragraphs, please?
        My teacher asks for {v} paragraphs, so that's what I need in {it}.
        {v} paragraphs, with a gap in between, that's the shape of {it}.
        i want {it} in {v} paragraphs cuz it looks tidy
        {it} should always show me {v} paragraphs, neither more nor less.
        I'm used to {v} paragraphs from the paper, so structure {it} like that.
        How should {it} be laid out? In {v} paragraphs.
        You gave me one big lump again. {v} paragraphs for {it}!
        Please to separate {it} in {v} paragraphs, I read it easier.
        Paragraph count for {it}: {v} paragraphs
        It is expected that {it} be arranged as {v} paragraphs.
        Tell {it} in {v} paragraphs, with an empty line after each.
        Whether there's little or a lot to say, {it} should have {v} paragraphs.
        There's a box on our web page for each paragraph, so give me {it} as {v} paragraphs.
        evry time {v} paragraphs in {it}, thnaks
    """),
}

SAID_AGAIN_TO_ALL: Final[Mapping[str, tuple[str, ...]]] = {
    "lines": lines("""
        {v} lines, that's all I ever want to see.
        Could you always write me {v} lines?
        my watch shows {v} lines so thats what u get
        Whatever I ask you, reply on {v} lines.
        You have {v} lines each time. Fill them and stop.
        I count lines, and I'm happy at {v} lines and at no other number.
        Please you answer always with {v} lines.
        From now on it's {v} lines, neither longer nor shorter.
        Every text of yours has to be {v} lines tall.
        Why so long? {v} lines, please, as I said.
        The notice board here takes {v} lines, so write exactly that many.
        Break your text so that there are {v} lines.
        Line count: {v} lines
        I'm used to messages of {v} lines. Keep to that with me.
        No other length than {v} lines, please.
        Talk to me in {v} lines, would you?
        {v} lines or I won't read it!
        It is requested that all replies have {v} lines.
        {v} lines evrytime, plese
        Let's do {v} lines each time, it fits my notebook.
    """),
    "sentences": lines("""
        {v} sentences and you're done, that goes for everything.
        Could you always talk to me in {v} sentences?
        keep it at {v} sentences with me, always
        Your answers ought to be {v} sentences long.
        I listen for {v} sentences, then I'm gone, but don't stop sooner.
        Whatever the topic, use {v} sentences.
        Please to speak in {v} sentences only, my English is slow.
        Sentence count: {v} sentences
        When I ask something, {v} sentences come back. That's our deal.
        Too long again! I said {v} sentences.
        No more and no fewer than {v} sentences from you, ever.
        All replies are to consist of {v} sentences.
        My kids get {v} sentences of you before bed, exactly that.
        Write {v} sentences, put the last full stop, finish.
        I'd be pleased with {v} sentences every time.
        You're given {v} sentences. Spend them all.
        Say it in {v} sentences, whatever it is.
        {v} sentences plz, i do cuont
        The speech box cuts off after {v} sentences and hangs before, so stay at that.
        How long may it be? {v} sentences, now and always.
    """),
    "emoji": lines("""
        I like a smiley at the {v}, so always give me one.
        Could you set an emoji at the {v} each time?
        emoji!! {v}!! dont forget!!
        Whatever you write me, have an emoji at the {v}.
        At the {v} of everything you say I want an emoji.
        Please to put one emoji on the {v}, always.
        Your texts feel cold. An emoji at the {v} would warm them up, so do that.
        An emoji at the {v} is a must with me.
        An answer lacking the emoji at the {v} is no answer to me.
        My little one waits for the emoji at the {v}, so don't leave it off.
        All replies shall have an emoji at the {v}.
        Pick an emoji, any emoji, and place it at the {v}.
        Emoji position: {v}
        I'm used to chatting with an emoji at the {v}, please do so too.
        You forgot the smiley at the {v} again!
        The {v} of what you write should be an emoji.
        Be cute, stick an emoji at the {v} every time.
        No emoji at the {v}, no reading. I mean it.
        dont foget teh emoji at the {v}
        A little picture at the {v}, please, one of those emojis.
    """),
    "upper_case": lines("""
        I only read capitals.
        Could you keep caps lock on for me?
        yell at me, all caps, always
        WRITE BIG. ALL LETTERS. ALWAYS.
        My eyesight is poor, so every letter you write must be a capital.
        No small letters in anything you send me.
        Whatever I ask, the reply is in upper case.
        Majuscules from start to finish, please.
        Please to use the big letters only, my friend.
        The ticker here knows capitals and nothing else, so use those.
        Why do I still see small letters? Caps!
        All text is to be uppercase.
        I'm used to telex, so answer in capitals throughout.
        Hold down shift the whole time you talk to me.
        Not a single lowercase letter from you, ever.
        Only block capitals, please, as on a form.
        Your case is upper. Always.
        I like it LOUD, so every word in capital letters.
        caps lokc on plz
        Make each letter you type a big one.
    """),
    "ends": lines("""
        Whatever you tell me, leave off with "{v}".
        Could you always close with "{v}"?
        say "{v}" when ur done, every time
        The last thing I want to read is "{v}", always.
        You have to finish on "{v}", or I think there's more coming.
        Nothing after "{v}", and never leave it out at the end.
        My grandma's last words in every letter were "{v}", let them be yours too.
        Sign-off: "{v}"
        Please to say in the end always "{v}".
        Each reply must conclude with "{v}".
        I'm used to people who end with "{v}", so do that with me.
        You stopped without "{v}" again!
        Wrap things up with "{v}" every time.
        At the very bottom goes "{v}", no matter what I asked.
        When you run out of things to say, say "{v}".
        All messages shall terminate with the words "{v}".
        It would be sweet of you to part with "{v}" each time.
        Don't go without a "{v}".
        How do you finish? With "{v}". Good.
        finsh with "{v}" plz, allways
    """),
    "not_contains": lines("""
        I'm sick of "{v}", so don't let me read it again.
        Could you manage without the word "{v}"?
        pls no "{v}", i cant hear it anymore
        Whatever you say, don't let it have "{v}" in it.
        "{v}" is off the menu.
        We play taboo and your word is "{v}". Never use it.
        All words are fine with me except "{v}".
        Please to not say "{v}" with me.
        "{v}" must not occur in anything you write.
        Find a synonym whenever you feel like writing "{v}".
        I get a rash from the word "{v}", leave it be.
        Word to skip: "{v}"
        Drop "{v}" from your vocabulary, would you?
        There it was again, "{v}"! I don't want that word.
        Not once do I want to see "{v}" here.
        My filter deletes messages with "{v}" in them, so avoid it.
        If there's one word I never want from you, it's "{v}".
        The use of "{v}" is not permitted.
        You lose a point for each "{v}", so say none.
        dotn say "{v}" plz
    """),
    "lower_case": lines("""
        all small letters when you talk to me
        Could you leave out capitals, please? Every one of them.
        no shift key for you
        i like it quiet, so lowercase everything
        Whatever I ask, reply without a single capital.
        Every letter is small here, even in names.
        Please to use only small letters with me.
        Capitals are shouting. I want none from you.
        Your case is lower. Always.
        Not one big letter, not even at the start of a sentence.
        All output is to be in lower case.
        My script can't deal with uppercase, so don't send any.
        Minuscules only, if you please.
        Why the big letters? Write everything small.
        I'm used to chats without capitals, so do the same.
        Pretend there are no capital letters in the alphabet.
        Every letter you type stays small.
        Start sentences small, write names small, write it all small.
        evrything in lowercsae, thx
        From now on lower-case letters and no others.
    """),
    "no_lists": lines("""
        Talk to me in sentences, lists are for shopping.
        Could you answer without lists, please?
        stop making lists, just tell me
        Whatever I ask, no bullets, no numbering, only text.
        I read you aloud, so continuous prose and no list of any kind.
        Please to write whole text, not points.
        Nothing in list form, not even steps.
        Paragraphs are fine, lists are not.
        You always fall back on bullet points. Don't.
        Lists of any kind are to be avoided.
        Don't itemise, narrate.
        If there are several things, name them in a sentence, never in a list.
        I'm used to letters, so running text without lists, please.
        No dashes or numbers at the start of a line, ever.
        My screen reader trips over lists, so never send one.
        Ordinary sentences only. I can't stand enumerations down the page.
        Would you keep your answers free of lists?
        Make it flow, no lists.
        no lsits plz
        Explain things the way a person speaks, with no list anywhere.
    """),
}
