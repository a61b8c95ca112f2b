"""Runs the samples in samples.json, each with its own token."""
import json
import os

with open("samples.json", encoding="utf-8") as file:
    samples = json.load(file)
for sample in samples:
    os.environ["FOYER_TOKEN"] = sample["token"]
    exec(compile(sample["code"], sample["id"], "exec"), {})
