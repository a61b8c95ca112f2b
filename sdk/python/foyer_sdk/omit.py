"""Parameters that are left out, which differ from those that are None: None is sent as null."""
from typing import Any, Dict, Mapping


class Omit:
    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "OMIT"


OMIT = Omit()
"""The default of every optional part of a body: it is not sent."""


def given(values: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in values.items() if not isinstance(value, Omit)}
