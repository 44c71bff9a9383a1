"""Convert the bnlearn repository's networks into the package's file of structures.

    python tools/convert_networks.py PGMPY.whl

The networks (https://www.bnlearn.com/bnrepository/) come inside the wheel of pgmpy, as BIF files and, for the Gaussian
ones, JSON. Only the structures are kept: the variables in the order of the file, and each one's parents.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import zipfile
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src" / "sidelight" / "simulation" / "structures.json.gz"
FOLDER = "pgmpy/utils/example_models/"
VARIABLE = re.compile(r"^\s*variable\s+(\S+)\s*\{", re.MULTILINE)
PROBABILITY = re.compile(r"^\s*probability\s*\(\s*([^|)\s]+)\s*(?:\|([^)]*))?\)", re.MULTILINE)


def structure_of_bif(text: str) -> dict[str, list[str]]:
    """The parents of each variable, by name."""
    parents: dict[str, list[str]] = {name: [] for name in VARIABLE.findall(text)}
    for child, given in PROBABILITY.findall(text):
        parents[child] = [name.strip() for name in given.split(",") if name.strip()]
    return parents


def as_in_the_paper(structures: dict[str, dict[str, list[str]]]) -> dict[str, dict[str, list[str]]]:
    """The two structures of the paper's table that are not those of the repository.

    Its insurance lacks the edge Accident → MedCost; its diabetes is the first six time slices, 104 variables.
    """
    insurance = {name: list(parents) for name, parents in structures["insurance"].items()}
    insurance["MedCost"].remove("Accident")
    first = list(structures["diabetes"])[:104]
    diabetes = {name: [p for p in structures["diabetes"][name] if p in first] for name in first}
    return {"insurance-paper": insurance, "diabetes-paper": diabetes}


def main(wheel: str) -> None:
    structures: dict[str, dict[str, list[str]]] = {}
    with zipfile.ZipFile(wheel) as archive:
        for path in sorted(archive.namelist()):
            if path.startswith(FOLDER) and path.endswith(".bif.gz"):
                name = path.removeprefix(FOLDER).removesuffix(".bif.gz")
                structures[name] = structure_of_bif(gzip.decompress(archive.read(path)).decode())
    structures |= as_in_the_paper(structures)
    text = json.dumps(structures, separators=(",", ":"), ensure_ascii=False).encode()
    TARGET.write_bytes(gzip.compress(text, compresslevel=9, mtime=0))
    print(f"{len(structures)} networks, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
