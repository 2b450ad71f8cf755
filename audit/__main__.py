"""Run the checks of `make audit`. Exit with 1 if one of them found something."""

import sys

from . import components, leaks, licences, outdated, weaknesses


def main() -> int:
    """Print what each check says. Return 1 if one of them found something."""
    components.write(components.LOCK, components.FILE)
    outdated.tell()
    problems = [
        *weaknesses.check(weaknesses.LOCKS),
        *licences.check(licences.LOCKS, licences.PACKAGES),
        *leaks.check(leaks.source_files()),
    ]
    print("\n".join(problems) or "The audit found nothing.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
