"""Learn the structure of a Bayesian network with few, small independence tests, by using what is already known.

A public name is imported when it is first used, so that ``import sidelight`` takes no time: the command can handle
Ctrl-C, and print its help, before NumPy and the rest are there.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidelight.certainty.levels import at_levels as at_levels
    from sidelight.certainty.stability import Stability as Stability
    from sidelight.certainty.stability import stability as stability
    from sidelight.errors import AnswerError as AnswerError
    from sidelight.errors import InputError as InputError
    from sidelight.estimator import StructureLearner as StructureLearner
    from sidelight.evaluate.comparison import Comparison as Comparison
    from sidelight.evaluate.comparison import compare as compare
    from sidelight.explain import Explanation as Explanation
    from sidelight.explain.auditing import Audit as Audit
    from sidelight.families import ChiSquare as ChiSquare
    from sidelight.families import CITest as CITest
    from sidelight.families import DegenerateGaussian as DegenerateGaussian
    from sidelight.families import DSeparation as DSeparation
    from sidelight.families import FisherZ as FisherZ
    from sidelight.families import FunctionTest as FunctionTest
    from sidelight.families import GSquare as GSquare
    from sidelight.families import KernelTest as KernelTest
    from sidelight.families import MomentChiSquare as MomentChiSquare
    from sidelight.families import PairwiseFisherZ as PairwiseFisherZ
    from sidelight.families import Remembered as Remembered
    from sidelight.families.gaussian.correlation import Correlation as Correlation
    from sidelight.fit import read_fitted as read_fitted
    from sidelight.knowledge import Ancestor as Ancestor
    from sidelight.knowledge import Edge as Edge
    from sidelight.knowledge import Forbidden as Forbidden
    from sidelight.knowledge import Known as Known
    from sidelight.knowledge import Leaves as Leaves
    from sidelight.knowledge import NoEdge as NoEdge
    from sidelight.knowledge import NoHiddenCause as NoHiddenCause
    from sidelight.knowledge import NotAncestor as NotAncestor
    from sidelight.knowledge import Order as Order
    from sidelight.knowledge import Part as Part
    from sidelight.knowledge import Required as Required
    from sidelight.knowledge import Roots as Roots
    from sidelight.knowledge import Tiers as Tiers
    from sidelight.knowledge import read_knowledge as read_knowledge
    from sidelight.learners.task import Step as Step
    from sidelight.learning import diagnose as diagnose
    from sidelight.learning import learn as learn
    from sidelight.network import Network as Network
    from sidelight.orientation import essential_graph_of
    from sidelight.output.formats import read_graph as read_graph
    from sidelight.output.formats.network_json import read as read
    from sidelight.result.certainty import Shares as Shares
    from sidelight.result.evidence import EdgeEvidence as EdgeEvidence
    from sidelight.result.settings import Settings as Settings
    from sidelight.result.trust import Certificate as Certificate
    from sidelight.side_information import CliqueNumber as CliqueNumber
    from sidelight.side_information import DiamondFree as DiamondFree
    from sidelight.side_information import MaxInDegree as MaxInDegree
    from sidelight.side_information import Treewidth as Treewidth
    from sidelight.side_information import VertexCover as VertexCover
    from sidelight.simulation import networks as networks
    from sidelight.simulation.tables import Simulation as Simulation
    from sidelight.simulation.tables import simulate as simulate
    from sidelight.tables.findings import Diagnosis as Diagnosis
    from sidelight.tables.findings import Finding as Finding

    essential_graph = essential_graph_of
    __version__: str

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
    "fit": "read_fitted",
    "knowledge": "Ancestor Edge Forbidden Known Leaves NoEdge "
    "NoHiddenCause NotAncestor Order Part Required Roots Tiers read_knowledge",
    "learners.task": "Step",
    "learning": "diagnose learn",
    "network": "Network",
    "output.formats": "read_graph",
    "output.formats.network_json": "read",
    "result.certainty": "Shares",
    "result.evidence": "EdgeEvidence",
    "result.settings": "Settings",
    "result.trust": "Certificate",
    "side_information": "CliqueNumber DiamondFree MaxInDegree Treewidth VertexCover",
    "simulation.tables": "Simulation simulate",
    "tables.findings": "Diagnosis Finding",
}
_HOMES = {name: module for module, names in _DEFINED_IN.items() for name in names.split()}
__all__ = sorted({*_HOMES, "essential_graph", "networks"} - {"StructureLearner"})  # which needs scikit-learn


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
    return sorted({*__all__, "StructureLearner", *(name for name in globals() if name.startswith("__"))})
