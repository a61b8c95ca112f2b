"""Does with the Python SDK what the tests ask for: a line of JSON in, a line of JSON out, and lines in between for what
the SDK calls back."""
import base64
import json
import re
import sys

from foyer_sdk import Foyer, FoyerError, webhooks


def snake(name):
    word = re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()
    return word + "_" if word == "from" else word


def snakes(values):
    return {snake(name): value for name, value in (values or {}).items()}


def say(message):
    print(json.dumps(message), flush=True)


def listen():
    return json.loads(sys.stdin.readline())


def in_seconds(values):
    """What the TypeScript SDK has in milliseconds."""
    return {
        name.replace("_ms", ""): value / 1000 if name.endswith("_ms") else value
        for name, value in snakes(values).items()
    }


def told(foyer, name):
    """A function that asks the test what to do."""

    def call(value):
        say({"called": name, "value": value})
        answer = listen()["answer"]
        if answer == "raise":
            raise RuntimeError("stopped")
        if answer == "close":
            foyer.close()

    return call


def do_call(foyer, method, ids=(), query=None, body=None, options=None, take=None):
    owner, name = method.split(".")
    function = getattr(getattr(foyer, snake(owner)), snake(name))
    seen = []
    answer = function(
        *ids,
        **snakes(query),
        **snakes(body),
        request_options={**in_seconds(options), "on_response": seen.append},
    )
    if take == "page":
        answer = answer.page()
    elif take is not None:
        answer = answer.first_n(take)
    headers = {name.lower(): value for name, value in seen[-1].headers.items()} if seen else {}
    return {"data": answer, "headers": headers}


def do_follow(foyer, **options):
    on_event = told(foyer, "event")
    for event in foyer.events.follow(**snakes(options), on_quiet=told(foyer, "quiet")):
        on_event(event)
    return {"data": None}


def do_sync(foyer, calls, cursor=None):
    foyer.sync(cursor=cursor, **{snake(name): told(foyer, name) for name in calls})
    return {"data": None}


def do_verify(_, kind, body, headers, secret, options):
    raw = base64.b64decode(body) if kind == "bytes" else json.loads(body) if kind == "parsed" else body
    return {"data": webhooks.verify(raw, headers, secret, **options)}


def error_of(error):
    found = {"name": type(error).__name__, "message": getattr(error, "message", str(error))}
    if isinstance(error, FoyerError):
        found.update(
            code=error.code,
            status=error.status,
            details=error.details,
            requestId=error.request_id,
            retryAfterMs=None if error.retry_after is None else error.retry_after * 1000,
            isRetryable=error.is_retryable,
        )
    return found


for line in sys.stdin:
    asked = json.loads(line)
    try:
        with Foyer(**{"token": "foyer_x", "base_url": "http://x", **in_seconds(asked["settings"])}) as foyer:
            say(globals()[f"do_{asked['do']}"](foyer, **asked["with"]))
    except Exception as error:
        say({"error": error_of(error)})
