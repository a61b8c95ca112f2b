"""Files as parts of a form."""
from __future__ import annotations

import mimetypes
import os
import uuid
from typing import BinaryIO, Mapping, Tuple, Union

Upload = Union[BinaryIO, Tuple[str, bytes]]
"""A file that was opened with "rb", or a name and the contents."""


def form_of(files: Mapping[str, Upload]) -> Tuple[str, bytes]:
    """The content type and the bytes of a form. Files are read once, so that a retry sends the same."""
    boundary = uuid.uuid4().hex
    parts = []
    for field, file in files.items():
        name, content = file if isinstance(file, tuple) else (_name_of(file), file.read())
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        head = f'--{boundary}\r\ncontent-disposition: form-data; name="{_quoted(field)}"; filename="{_quoted(name)}"\r\n'
        parts.append(f"{head}content-type: {kind}\r\n\r\n".encode() + content + b"\r\n")
    return f"multipart/form-data; boundary={boundary}", b"".join(parts) + f"--{boundary}--\r\n".encode()


def _name_of(file: BinaryIO) -> str:
    name = getattr(file, "name", "")
    return os.path.basename(name) if isinstance(name, str) and name else "file"


def _quoted(text: str) -> str:
    """As browsers write it."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
