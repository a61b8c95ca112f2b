"""Runs the programs in programs.json at once, because some calls wait for a channel. Each ends with its client closed."""
import json
from concurrent.futures import ThreadPoolExecutor


def run(program):
    names = {}
    try:
        exec(compile(program["code"], program["id"], "exec"), names)
    except Exception as error:
        raise RuntimeError(program["id"]) from error
    finally:
        if "foyer" in names:
            names["foyer"].close()


with open("programs.json", encoding="utf-8") as file:
    programs = json.load(file)
with ThreadPoolExecutor(len(programs)) as threads:
    list(threads.map(run, programs))
