"""Checks the code in guides.json: that it compiles, and that the SDK has each function with the parameters that are
passed. Prints how many calls it checked."""
import ast
import inspect
import json

import foyer_sdk
from foyer_sdk import webhooks

KNOWN = {
    "Foyer": foyer_sdk.Foyer,
    "foyer": foyer_sdk.Foyer(token="foyer_x", base_url="http://x"),
    "webhooks": webhooks,
}


def resolve(node):
    if isinstance(node, ast.Name):
        return KNOWN.get(node.id)
    owner = resolve(node.value) if isinstance(node, ast.Attribute) else None
    return owner and getattr(owner, node.attr)


def check(node):
    if isinstance(node, ast.ImportFrom) and node.module == "foyer_sdk":
        for name in node.names:
            getattr(foyer_sdk, name.name)
    function = resolve(node.func) if isinstance(node, ast.Call) else None
    if function is None:
        return 0
    inspect.signature(function).bind(*node.args, **{one.arg: one.value for one in node.keywords})
    return 1


with open("guides.json", encoding="utf-8") as file:
    blocks = json.load(file)
print(sum(check(node) for block in blocks for node in ast.walk(ast.parse(block))))
