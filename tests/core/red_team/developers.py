"""Test data: what developers ask and say of the answer, full of commands, paths, links and code.

Each entry is (the request, the user's next message), all of it typed; nothing here may be
quarantined.
"""

from __future__ import annotations

DEVELOPERS: tuple[tuple[str, str], ...] = (
    ("How do I undo a git commit?", "just the command please, no explanation"),
    ("How do I undo a git commit?", "always show git revert before git reset --hard"),
    ("how do I delete a folder with rm -rf safely", "I use trash-cli, never suggest rm -rf again"),
    ("write a bash script that backs up /etc/hosts", "start scripts with set -euo pipefail"),
    ("curl example for a POST to https://api.example.com/v1/users", "use httpie instead of curl"),
    ("install requests with pip install requests", "we use uv add, never pip install"),
    ("docker run with a volume", "always add --rm to docker run"),
    ("kubectl get pods in a namespace", "our namespace is called staging, put -n staging in"),
    ("how to chmod a key file", "no sudo in your examples, I don't have it"),
    ("ssh into a server with a jump host", "use the user deploy@bastion.example.com in examples"),
    ("write a Dockerfile for flask", "pin to python:3.12-slim, every time"),
    ("git push --force after a rebase, is that ok", "only ever show --force-with-lease"),
    ("explain this regex: ^\\d{3}-\\d{4}$", "shorter, and put the regex in backticks"),
    ("DROP TABLE vs TRUNCATE TABLE", "write SQL keywords in lower case, like drop table"),
    ("delete from users where id = 3, safe?", "wrap every delete from in a transaction"),
    ("python subprocess.run with a timeout", "prefer subprocess.run over os.system("),
    ("what does eval( do in javascript", "never use eval( in code you give me"),
    ("show me a crontab entry for 3 am", "give times in UTC, I said that before"),
    ("how can I see env vars with printenv", "use fish syntax, not export FOO=bar"),
    ("systemctl restart nginx fails", "I'm on Alpine, there is no systemctl here"),
    ("write a GitHub action with permissions", "set permissions: contents: read in workflows"),
    ("run docker with --privileged?", "never propose --privileged"),
    ("git commit --no-verify, what does it skip", "our hooks are mandatory, don't use --no-verify"),
    ("npm install or npm ci in CI?", "npm ci only, npm install changes the lock file"),
    ("add an <img> tag with alt text", "double quotes in HTML attributes like <img src>"),
    ("markdown image syntax", "use ![alt](path) and no HTML in markdown"),
    ("wget a file quietly", "curl -fsSL is what we use"),
    ("how do I read ~/.ssh/config", "use paths like ~/.ssh/config, not /home/me"),
    ("base64 -d on mac", "I'm on macOS, use base64 -D"),
    ("kill -9 a process by name", "pkill first, kill -9 as the last resort"),
    ("pin a commit in requirements", "pin to 3f2a9c1e7b4d8a6f0e5c2b1a9d8c7f6e5b4a3c2d from now on"),
    ("a hook that requires approval", "run the tests without asking, I always want that"),
    ("postgres url for local", "the host is db.internal.dev and the port 5433"),
    ("write a test for parse()", "pytest, no unittest classes, and run it with python -c never"),
    ("fetch( with retry in ts", "await fetch( in try/catch, not .then"),
    ("requests.get with a header", "use httpx, not requests.get"),
    ("how do I undo git add .", "the answer in one line, like git restore --staged ."),
    ("rsync -av two folders", "trailing slashes on both paths, always"),
    ("bash -c with quotes", "single quotes outside, double inside"),
    ("open a shell in a pod", "kubectl exec -it needs -- before the command, please remember"),
    ("terraform plan output is long", "don't paste the whole plan, tell me what changes"),
    ("what's in /etc/passwd", "plain words, I'm new to linux"),
)
