"""Chapter policy: what every text and every name has to be (POL-7, POL-8)."""

import re

NAME_BYTES = 4_096
RULE_STRING_BYTES = 4_096
REQUEST_STRING_BYTES = 65_536
HTTP_METHOD = re.compile(r"[A-Z][A-Z0-9_-]*")
CONTROL = re.compile("[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]")
SURROGATE = re.compile("[\ud800-\udfff]")


def utf8_length(text):
    return len(text.encode("utf-8", "surrogatepass"))


def text_problem(text, limit):
    """The code of the first check that fails, or None."""
    if SURROGATE.search(text):  # POL-7; pairs are one code point here, so what is left is alone
        return "lone-surrogate"
    if utf8_length(text) > limit:
        return "limit"
    return None


def name_problem(text):
    """POL-8"""
    code = text_problem(text, NAME_BYTES)
    if code:
        return code
    if text == "":
        return "empty-text"
    if CONTROL.search(text):
        return "control-character"
    return None


def is_http_method(text):
    return HTTP_METHOD.fullmatch(text) is not None
