"""Client settings for a broker of one's own, from the properties file that ``KAFKA_OPTIONS_FILE`` names.

It is the properties file that Kafka's tools take as ``--command-config``.  Spark, whose client is Java's, is given each
line with ``kafka.`` before it; the Python client has other names for some.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from streaming_classroom.errors import NotAvailable

VARIABLE = "KAFKA_OPTIONS_FILE"
_PAIR = re.compile(r"\s*[=:]\s*|\s+")
_ESCAPED = re.compile(r"\\(.)")
_LOGIN = re.compile(r'\b(username|password)\s*=\s*"((?:[^"\\]|\\.)*)"')
# Java's names of what is the same for the Python client, whose certificates are PEM.
_RENAMED = {
    "ssl.truststore.location": "ssl.ca.location",
    "ssl.keystore.location": "ssl.certificate.location",
    "ssl.key.password": "ssl.key.password",
}
_SAME = ("security.protocol", "sasl.mechanism", "client.id")


def given() -> dict[str, str]:
    """Return what the file says, or nothing where the variable names none.

    Raises
    ------
    NotAvailable
        The file is not there.
    """
    name = os.environ.get(VARIABLE)
    if not name:
        return {}
    try:
        return parse(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        problem = f"{VARIABLE}={name} cannot be read: {error.strerror}."
        raise NotAvailable(problem, "Set it to a properties file such as Kafka's tools take.") from None


def parse(text: str) -> dict[str, str]:
    """Return the pairs of a properties file: comments are left out, a backslash at the end joins two lines."""
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    pairs = [_PAIR.split(line.strip(), maxsplit=1) for line in lines if line.strip() and line.strip()[0] not in "#!"]
    return {name: _ESCAPED.sub(r"\1", value[0]) if value else "" for name, *value in pairs}


def for_python(java: dict[str, str]) -> dict[str, str]:
    """Return the options of the Python client that are what these are to Java's.

    Raises
    ------
    NotAvailable
        A certificate is in a form that only Java reads.
    """
    found = {name: java[name] for name in _SAME if name in java}
    for name, renamed in _RENAMED.items():
        if name in java:
            _refuse_keystore(name, java)
            found[renamed] = java[name]
    login = dict(_LOGIN.findall(java.get("sasl.jaas.config", "")))
    found |= {f"sasl.{name}": _ESCAPED.sub(r"\1", value) for name, value in login.items()}
    if java.get("ssl.endpoint.identification.algorithm") == "":
        found["ssl.endpoint.identification.algorithm"] = "none"
    return found


def _refuse_keystore(name: str, java: dict[str, str]) -> None:
    kind = name.replace("location", "type")
    if name.endswith("store.location") and java.get(kind, "JKS").upper() != "PEM":
        raise NotAvailable(
            f"{name} of {VARIABLE} is a Java keystore, which Kafka's Python client does not read.",
            f"Export it as PEM, and set {kind}=PEM.",
        )
