"""Chapter errors: what is wrong, by its code, and where it stands."""

from dataclasses import dataclass, field

PROBLEMS = 100  # of one document or statement (POL-17, RCP-19)


@dataclass
class Problem:
    code: str
    where: dict = field(default_factory=dict)


class Refused(Exception):
    """One problem, raised by what answers with the first problem alone."""

    def __init__(self, code, **where):
        super().__init__(code)
        self.code = code
        self.where = where
        self.canonical = None  # MAT-21: the spelling that would have been taken

    def problem(self):
        return Problem(self.code, self.where)


class SeveralRefused(Exception):
    """All problems of a document, in document order (POL-17)."""

    def __init__(self, problems):
        super().__init__(problems[0].code)
        self.problems = problems


def pointer(parent, key):
    """The JSON pointer (RFC 6901) of a member."""
    return f"{parent}/{str(key).replace('~', '~0').replace('/', '~1')}"
