"""Learn the structure of a Bayesian network with few, small independence tests, by using what is already known.

A public name is imported when it is first used, so that ``import sidelight`` takes no time: the command can handle
Ctrl-C, and print its help, before NumPy and the rest are there.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.certainty.levels import at_levels
    from sidelight.certainty.stability import Stability, stability
    from sidelight.errors import AnswerError, InputError
    from sidelight.estimator import StructureLearner as StructureLearner
    from sidelight.evaluate.comparison import Comparison, compare
    from sidelight.explain import Explanation
    from sidelight.explain.auditing import Audit
    from sidelight.families import (
        ChiSquare,
        CITest,
        DegenerateGaussian,
        DSeparation,
        FisherZ,
        FunctionTest,
        GSquare,
        KernelTest,
        MomentChiSquare,
        PairwiseFisherZ,
        Remembered,
    )
    from sidelight.families.gaussian.correlation import Correlation
    from sidelight.knowledge import (
        Ancestor,
        Edge,
        Forbidden,
        Known,
        Leaves,
        NoEdge,
        NotAncestor,
        Order,
        Part,
        Required,
        Roots,
        Tiers,
        read_knowledge,
    )
    from sidelight.learning import diagnose, learn
    from sidelight.network import Network
    from sidelight.orientation import essential_graph_of as essential_graph
    from sidelight.output.formats import read_graph
    from sidelight.output.formats.network_json import read
    from sidelight.result import EdgeEvidence, Step
    from sidelight.result.certainty import Shares
    from sidelight.result.settings import Settings
    from sidelight.result.trust import Certificate
    from sidelight.side_information import CliqueNumber, DiamondFree, MaxInDegree, Treewidth, VertexCover
    from sidelight.simulation import networks
    from sidelight.simulation.tables import Simulation, simulate
    from sidelight.tables.findings import Diagnosis, Finding

    __version__: str

__all__ = [
    "Ancestor",
    "AnswerError",
    "Audit",
    "CITest",
    "Certificate",
    "ChiSquare",
    "CliqueNumber",
    "Comparison",
    "Correlation",
    "DSeparation",
    "DegenerateGaussian",
    "Diagnosis",
    "DiamondFree",
    "Edge",
    "EdgeEvidence",
    "Explanation",
    "Finding",
    "FisherZ",
    "Forbidden",
    "FunctionTest",
    "GSquare",
    "InputError",
    "KernelTest",
    "Known",
    "Leaves",
    "MaxInDegree",
    "MomentChiSquare",
    "Network",
    "NoEdge",
    "NotAncestor",
    "Order",
    "PairwiseFisherZ",
    "Part",
    "Remembered",
    "Required",
    "Roots",
    "Settings",
    "Shares",
    "Simulation",
    "Stability",
    "Step",
    "Tiers",
    "Treewidth",
    "VertexCover",
    "at_levels",
    "compare",
    "diagnose",
    "essential_graph",
    "learn",
    "networks",
    "read",
    "read_graph",
    "read_knowledge",
    "simulate",
    "stability",
]
# Where the public names are defined; a test compares this with the imports above.
_DEFINED_IN = {
    "certainty.levels": "at_levels",
    "certainty.stability": "Stability stability",
    "errors": "AnswerError InputError",
    "estimator": "StructureLearner",
    "evaluate.comparison": "Comparison compare",
    "explain": "Explanation",
    "explain.auditing": "Audit",
    "families": "ChiSquare CITest DegenerateGaussian DSeparation FisherZ "
    "FunctionTest GSquare KernelTest MomentChiSquare PairwiseFisherZ Remembered",
    "families.gaussian.correlation": "Correlation",
    "knowledge": "Ancestor Edge Forbidden Known Leaves NoEdge "
    "NotAncestor Order Part Required Roots Tiers read_knowledge",
    "learning": "diagnose learn",
    "network": "Network",
    "output.formats": "read_graph",
    "output.formats.network_json": "read",
    "result": "EdgeEvidence Step",
    "result.certainty": "Shares",
    "result.settings": "Settings",
    "result.trust": "Certificate",
    "side_information": "CliqueNumber DiamondFree MaxInDegree Treewidth VertexCover",
    "simulation.tables": "Simulation simulate",
    "tables.findings": "Diagnosis Finding",
}
_HOMES = {name: module for module, names in _DEFINED_IN.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """A public name, or a folder of the package, when it is first used."""
    if name not in globals():
        globals()[name] = _found(name)
    return globals()[name]


def _found(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("sidelight")
    if name == "essential_graph":
        return import_module("sidelight.orientation").essential_graph_of
    if name == "networks":
        return import_module("sidelight.simulation.networks")
    if name in _HOMES:
        return getattr(import_module(f"sidelight.{_HOMES[name]}"), name)
    if not name.startswith("_") and find_spec(f"sidelight.{name}"):
        return import_module(f"sidelight.{name}")
    raise AttributeError(f"module 'sidelight' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "StructureLearner"})
