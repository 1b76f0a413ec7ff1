"""verify VECTORS_DIR
ledger FOLDER TRUST.json [--checkpoint FILE]..."""

import argparse
import sys
from pathlib import Path

from . import ledger, vectors
from .problem import SeveralRefused
from .trust import trust_from_json


def main():
    parser = argparse.ArgumentParser(prog="ruleprint_verifier", description="Verifies ruleprint vectors and ledgers.")
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="run every file of vectors/")
    verify.add_argument("folder")
    one = commands.add_parser("ledger", help="verify a ledger folder")
    one.add_argument("folder")
    one.add_argument("trust")
    one.add_argument("--checkpoint", action="append", default=[])
    arguments = parser.parse_args()
    if arguments.command == "verify":
        return 0 if vectors.verify_vectors(arguments.folder) else 1
    return verify_ledger(arguments)


def verify_ledger(arguments):
    try:
        trust = trust_from_json(Path(arguments.trust).read_bytes())
        checkpoints = [Path(file).read_bytes() for file in arguments.checkpoint]
        report = ledger.verify_folder(arguments.folder, trust, checkpoints)
    except SeveralRefused as refused:
        print(*(f"{p.code} {p.where}" for p in refused.problems), sep="\n", file=sys.stderr)
        return 2
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    print(ledger.report_line(report))
    return 0 if report.ok else 1


sys.exit(main())
