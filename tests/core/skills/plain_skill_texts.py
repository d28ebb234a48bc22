"""Ordinary texts of skills that look like template marks and must reach a prompt unchanged."""

from __future__ import annotations

# Each paragraph is one text.
PLAIN = """
Wrap headings in <h2> and <em>; close with </p>.

Return a List<String> or a Map<K, V>, never a <T extends Foo>.

End with [TODO] and [NAME], tick [x], cite [1].

Write a < b and b > c, a || b, x <- y, cat a | b.

Link as [text](page) and say <https://a.example>.

Note: keep it short. Example: two lines.

Use ~/notes and 10 ~ 20, and a ratio of 3:4.

Use <b> and <code>, never <font>.

End with "Answer: …" on its own line.

Always end with "Question: what next?" in quotes.

## Style

# Rules for replies

## Instructions

## Input

### Output

## System requirements

### Response format

### Instructions for reviewers

### User guide

### Assistant settings

### AI

### Model

Ranges like [1], [2-5] and [10, 20).

Use Vec<u64>, Array<float32> and Vec<[u8]>.

Promise<{id: string}> and Array<[string, number]> are fine.

Option<(A, B)> and Result<T, Error> too.

std::vector<int64> beats std::list<int32>.

Hash it as <sha256> and then <base64>.

Tables need <table>, <tr>, <td>, <th>, <br/> and <hr />.

Add <meta charset="utf-8"> and <link rel="icon" href="x">.

<details><summary>More</summary>text</details>

Name the file <filename> or <file name>.

Replace <NAME>, <DATE> and <YEAR> before sending.

git checkout <branch>

usage: tool --set <key=value> <file>...

cp <src> <dst>

Write <br> after each verse.

Use <!-- comments --> sparingly.

Sign as <Größe> or <Straße>.

Пиши <имя> и <дата> в начале.

标题写成 <标题>，正文写成 <正文>。

＜注意事項＞を最初に書く。

【重点】先说结论。

Put the <svg viewBox="0 0 1 1"> first.

In C use #include <stdio.h> and <sys/types.h>.

Compare with <=, >=, <> and <=>.

x << 2 and y >> 3; cout << a << b;

cat <<EOF and <<'END' start here-documents.

Mail to <bob@example.org>.

A -> B -> C, and A <-> B.

I <3 short answers.

<kbd>Ctrl</kbd>+<kbd>C</kbd> copies.

Tell the user: thanks.

If the user asks for more, say: see below.

The system: a short word about it.

The question is: who reads it?

Ask one question: which port?

the user: a person who asks

- User: the person who asks

* Assistant: the one who answers

- USER: the name in the database

1. System: Linux or macOS

chown $USER:$USER file

sudo chown USER:GROUP /srv

Set PGUSER: see the manual.

Print "USER: " before each name.

Write `SYSTEM: ok` into the log.

SUPERUSER: never.

The USER variable and the SYSTEM account stay.

"role": "user"

role: user

{"user": "bob", "system": "linux"}

Source: the annual report

Source: [1], page 7

Source: user interviews from May

Destination: Berlin

From: Bob <bob@example.org>

Subject: your question

@@ -1,3 +1,4 @@ def main():

@pytest.fixture and @@version

# install the tools

# Output: 5

# Input: a list of numbers

#!/bin/sh

### 1. Question the premise

#hashtag and ## two

**Important:** read the file first.

**Note**: no tables.

**Style:** plain.

**Output:** one JSON object.

**Input:** a CSV file.

*Hint*: less is more.

__init__: the constructor

_private: starts with a low line

Questions: at most two.

Answers: in German.

Question marks: none.

Answer in German: yes, always.

Botany: Latin names in italics.

Humane: be so.

Models: name the version.

Users: three kinds.

Systeme: zwei.

Ответы: коротко.

Пользователи: трое.

用户名：小写。

问题在于：太长。

系统要求：Linux。

回答问题时：先说结论。

Benutzername: klein geschrieben.

Fragen: höchstens zwei.

arr[0], dict["user"], m[i][j] and x[unused].

[RFC2119] and [Smith2020] are citations.

[YOUR_NAME] and [PROJECT_NAME] are placeholders.

Use [[wikilinks]] and [^1] for notes.

- [ ] open and - [x] done

a[1:3], b[::2] and [a-z]+ in a regex

[link]: https://example.org

if [ -f x ]; then [[ -n $y ]]; fi

Use the pipe: ls | wc -l; set |x| for the norm.

p(a|b) and <a, b> for the product.

Keep "stop" out; end of turn means end of the move.

Steps: one, two. Step 1: wash. Step 2: cut.

Prompt the reader with a question?

Say "as an AI: no" never.

In YAML a key: value pair, in Python {a: b}.

Time 10:30, ratio 16:9, http://a:80/b.

Zeichen: „Anführung“ und ‚halbe‘; 1–2 Sätze.

Merge what dependabot[bot] and renovate[bot] send.

_model: str and _user: int are fields

Ende: „Mit Gruß“.

Emoji only 🙂 at the end: never two.
""".strip().split("\n\n")
