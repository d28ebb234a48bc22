"""How users say rules about the shape of answers, as trained on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bench.english.texts.split import lines

SAID_OF_SHAPES: Final[Mapping[str, tuple[str, ...]]] = {
    "lines": lines("""
        Write {it} in exactly {v} lines.
        I want {it} to have {v} lines.
        {it} must be {v} lines long.
        Use {v} lines for {it}, no more and no less.
        Break {it} into {v} lines.
        Always {v} lines in {it}.
        Format {it} as {v} lines of text.
        Put {it} on {v} lines.
        {v} lines for {it} pls
        {it}: {v} lines
        {it} = {v} lines, not more not less
        my widget shows {v} lines so write {it} like that
        I'd like {it} to fill {v} lines.
        I'd be glad to get {it} in {v} lines.
        I wish for {v} lines in {it}.
        You never count. {v} lines in {it}, I said.
        That was not what I asked for: {it} in {v} lines!
        Kindly arrange {it} in {v} lines.
        {it} shall comprise {v} lines.
        For {it} please to make {v} lines exactly.
        In {it} I need always {v} lines.
        Could you give {it} {v} lines?
        Never use more or fewer than {v} lines in {it}.
        Don't make it one block: {v} lines in {it}.
        If you write something, spread it over {v} lines, in {it}.
        {v} lines. That's how long I want {it}.
        The number of lines in {it} is {v}.
        Divide {it} into {v} lines.
        Stick to {v} lines in {it}.
        Lay out {it} in {v} lines.
        Press enter so often that there are {v} lines in {it}.
        I print {it} on labels with room for {v} lines, so use all of it.
        Exactly {v} lines, please, for {it}.
        Let {it} run over {v} lines.
        A fixed length for {it}: {v} lines.
        exatly {v} lines in {it}
        Give me {v} lines, each on its own, in {it}.
    """),
    "bullets": lines("""
        Use bullet points for {it}.
        Give me {it} as a bulleted list.
        Write {it} only with bullet points, each line starting with "- ".
        I want bullets in {it}.
        {it} should be bullet points.
        Put {it} into bullets.
        Format {it} as bullet points.
        Bullet points only in {it}, please.
        Always answer with a list of bullets in {it}.
        No running text in {it}, use bullet points.
        Structure {it} with dashes, one point a line.
        bullets pls, in {it}
        {it}: bullet points
        can u do {it} in bullets
        i like bullets, do {it} that way
        I'd like {it} in bullet points.
        I'd prefer bullets to paragraphs in {it}.
        I wish {it} would come as bullet points.
        Walls of text again. Bullet points in {it}!
        You keep writing paragraphs, I need bullets in {it}.
        I can't read blocks of text, so {it} in bullets.
        Kindly present {it} in the form of bullet points.
        {it} shall be set out as a bulleted list.
        For {it} please to use the points with a dash.
        In {it} make it with bullet points, so I can understand.
        Could you write {it} as bullet points?
        Never write paragraphs in {it}, only bullets.
        Don't give me prose in {it}. Bullets.
        If you have something to say, say it as bullets in {it}.
        A dash in front of every line, that is how {it} should look.
        Split {it} into bullet points.
        Bullets make life easier, use them for {it}.
        Nothing but bullet points in {it}.
        Break {it} down into bullets.
        Each thought in {it} gets its own bullet.
        bulet points for {it} please
        I skim, so bullet points in {it}.
    """),
    "bullet_count": lines("""
        Give me exactly {v} bullet points in {it}.
        Write {it} as {v} bullet points.
        Use {v} bullets in {it}, no more and no less.
        I want {v} bullet points in {it}.
        I'd like {it} as a list of {v} bullet points.
        {it} must have {v} bullet points.
        {it}: {v} bullets
        {v} bullets in {it} pls
        {v} bullet points, always, in {it}.
        always {v} bullets for {it} ok
        Sum up {it} in {v} bullet points.
        You gave me too many points. {v} bullets in {it}.
        Why can't you count? {it} in {v} bullet points.
        Kindly provide {it} as {v} bullet points.
        {it} shall consist of {v} bullet points.
        For {it} please to make {v} points with a dash.
        Could {it} come as {v} bullets?
        Never use more or fewer than {v} bullets in {it}.
        Don't make it more than {v} bullets or fewer, in {it}.
        If you answer, make it {v} bullet points, in {it}.
        My slide has room for {v} bullet points, so that's the number for {it}.
        Boil {it} down to {v} bullet points.
        The number of bullet points in {it} is {v}.
        Bullets, and to be exact {v} bullets, in {it}.
        Stick to {v} bullet points in {it}.
        Only {v} bullet points for {it}, please.
    """),
    "paragraphs": lines("""
        Write {it} in {v} paragraphs.
        Use exactly {v} paragraphs in {it}.
        I want {it} to have {v} paragraphs.
        I'd like {v} paragraphs in {it}.
        {it} must have {v} paragraphs, with a blank line between.
        {it}: {v} paragraphs
        {v} paragraphs for {it} pls
        {v} paragraphs in {it}, not more, not less.
        Divide {it} into {v} paragraphs.
        Split {it} into {v} paragraphs.
        Keep {it} to {v} paragraphs.
        do {it} in {v} paragraphs ok
        One never knows how long you get. Make it {v} paragraphs in {it}.
        You write as you like. I asked for {v} paragraphs in {it}.
        Kindly arrange {it} in {v} paragraphs.
        {it} shall comprise {v} paragraphs.
        For {it} please to make {v} paragraphs.
        Could you write {it} in {v} paragraphs?
        Never use more or fewer than {v} paragraphs in {it}.
        Don't write anything but {v} paragraphs in {it}.
        If you write to me, use {v} paragraphs in {it}.
        My page layout takes {v} paragraphs, so write {it} like that.
        The number of paragraphs in {it} should be {v}.
        Always {v} paragraphs in {it}.
        Stick to {v} paragraphs in {it}.
        Build {it} out of {v} paragraphs.
    """),
    "lines_start": lines("""
        Start every line of {it} with "{v}".
        Begin each line in {it} with "{v}".
        Put "{v}" in front of every line in {it}.
        I want each line of {it} to start with "{v}".
        I'd like "{v}" at the beginning of every line in {it}.
        All lines of {it} must begin with "{v}".
        {it}: every line starts with "{v}"
        "{v}" comes first on every line of {it}.
        "{v}" before each line in {it}, please.
        every line in {it} with "{v}" in front pls
        put "{v}" at the start of all lines in {it}
        Never begin a line in {it} without "{v}".
        Some lines have no "{v}". In {it} each line needs it.
        You forgot "{v}" on the second line. Every line in {it}!
        Kindly precede each line in {it} with "{v}".
        Each line of {it} shall open with "{v}".
        For {it} please to write "{v}" before every line.
        Could each line of {it} start with "{v}"?
        If you start a new line in {it}, begin with "{v}".
        Mark every line in {it} with "{v}" at the front.
        Don't leave any line in {it} without "{v}" at its start.
        My script looks for "{v}" at the start of each line, so put it there in {it}.
        Prefix all lines in {it} with "{v}".
        Line by line, first "{v}", then the text, in {it}.
        Break {it} into lines that start with "{v}".
        The sign at the beginning of each line in {it} is "{v}".
    """),
    "sentence_lines": lines("""
        Put every sentence of {it} on its own line.
        Write each sentence in {it} on a new line.
        One sentence per line in {it}.
        I want each sentence of {it} on a line of its own.
        I'd like a line break after every sentence in {it}.
        Start a new line after each sentence in {it}.
        {it}: one sentence a line
        {it} must have one sentence per line.
        new line after every sentence in {it} pls
        hit enter after each sentence in {it}
        Never put two sentences on one line in {it}.
        Don't write more than one sentence on a line in {it}.
        You put it all in one block. A new line for every sentence in {it}!
        Blocks of text are hard to read, so give each sentence in {it} its own line.
        Kindly begin a new line with every sentence in {it}.
        Each sentence in {it} shall stand on a separate line.
        For {it} please to make new line after the sentence.
        Could you break the line after each sentence in {it}?
        If a sentence ends, go to the next line, in {it}.
        Break {it} after every sentence.
        Every full stop in {it} is followed by a line break.
        A line break between all sentences of {it}.
        Sentence, new line, sentence, new line: write {it} like that.
        My translation tool needs one sentence per line, so do that in {it}.
        Separate the sentences of {it} by line breaks.
        Lines in {it} should hold a single sentence each.
    """),
    "json": lines("""
        Give {it} as a JSON object with the key "{v}" and nothing else.
        Return {it} as JSON with one key, "{v}".
        Reply in JSON only for {it}.
        I need {it} as plain JSON and nothing around it.
        {it} must be a JSON object.
        Format {it} as JSON, the key is "{v}".
        Put {it} into JSON.
        JSON only for {it}, please.
        Write {it} as JSON with the field "{v}".
        {it}: JSON, key "{v}"
        {it}: valid JSON, nothing more
        json pls for {it}, key "{v}"
        gimme {it} as json {{"{v}": ...}}
        my script parses {it}, so json with the key "{v}" only
        I'd like {it} as a JSON object whose only key is "{v}".
        I'd prefer to get {it} as JSON.
        I wish to receive {it} in JSON with the field "{v}".
        My parser broke again. JSON and only JSON in {it}!
        You wrote text around the JSON. {it} should be the object alone, with "{v}".
        Kindly return {it} in JSON format, the key being "{v}".
        {it} shall be valid JSON with a single field named "{v}".
        For {it} please to answer as JSON object with key "{v}".
        In {it} only JSON is allowed, with "{v}" as key.
        Could you output {it} as JSON under the key "{v}"?
        Never write plain text in {it}, always a JSON object with "{v}".
        Don't write anything outside of the JSON in {it}.
        If you answer, wrap the text in a JSON object, key "{v}", in {it}.
        "{v}" is the key, your text the value: write {it} as such a JSON object.
        A machine reads {it}, so send JSON with "{v}" and no word beside it.
        Wrap {it} in JSON like {{"{v}": "your text"}}.
        Put the text of {it} into the "{v}" field of a JSON object.
        One JSON object, one key ("{v}"), that's {it}.
        Serialise {it} as JSON.
        Only machine-readable JSON in {it}, thanks.
        Encode {it} as a JSON object with the key "{v}".
        Make {it} JSON, with a field called {v}
        jsno object with "{v}" for {it} plz
    """),
}  # fmt: skip
