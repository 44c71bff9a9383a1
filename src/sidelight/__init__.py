"""Learn the structure of a Bayesian network with few, small independence tests, by using what is already known."""

from importlib.metadata import version as _version
from typing import TYPE_CHECKING

from sidelight.certainty.levels import at_levels
from sidelight.certainty.stability import Stability, stability
from sidelight.doctor.findings import Diagnosis, Finding
from sidelight.errors import AnswerError, InputError
from sidelight.evaluate.comparison import Comparison, compare
from sidelight.explain import Explanation
from sidelight.explain.auditing import Audit
from sidelight.independence import (
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
from sidelight.result.certificate import Certificate
from sidelight.result.settings import Settings
from sidelight.result.shares import Shares
from sidelight.side_information import CliqueNumber, DiamondFree, MaxInDegree, Treewidth, VertexCover
from sidelight.simulation import networks
from sidelight.simulation.tables import Simulation, simulate
from sidelight.sufficient import Correlation

if TYPE_CHECKING:
    from sidelight.estimator import StructureLearner as StructureLearner

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
__version__ = _version("sidelight")


def __getattr__(name: str) -> object:
    if name == "StructureLearner":  # scikit-learn is an extra, and takes its time to import
        from sidelight.estimator import StructureLearner

        return StructureLearner
    raise AttributeError(f"module 'sidelight' has no attribute {name!r}")
