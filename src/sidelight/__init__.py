"""Learn the structure of a Bayesian network with few, small independence tests, by using what is already known."""

from importlib.metadata import version as _version
from typing import TYPE_CHECKING

from sidelight.audit import Audit
from sidelight.certificate import Certificate
from sidelight.compare import Comparison, compare
from sidelight.data import networks
from sidelight.data.simulate import Simulation, simulate
from sidelight.doctor import Diagnosis
from sidelight.errors import AnswerError, InputError
from sidelight.evidence import EdgeEvidence, Step
from sidelight.explanation import Explanation
from sidelight.formats import read_graph
from sidelight.formats.network_json import read
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
from sidelight.learn import learn
from sidelight.network import Network
from sidelight.orientation import essential_graph_of as essential_graph
from sidelight.prepare import diagnose
from sidelight.side_information import CliqueNumber, DiamondFree, MaxInDegree, Treewidth, VertexCover
from sidelight.statistics import Correlation

if TYPE_CHECKING:
    from sidelight.estimator import StructureLearner as StructureLearner

__all__ = [
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
    "EdgeEvidence",
    "Explanation",
    "FisherZ",
    "FunctionTest",
    "GSquare",
    "InputError",
    "KernelTest",
    "MaxInDegree",
    "MomentChiSquare",
    "Network",
    "PairwiseFisherZ",
    "Remembered",
    "Simulation",
    "Step",
    "Treewidth",
    "VertexCover",
    "compare",
    "diagnose",
    "essential_graph",
    "learn",
    "networks",
    "read",
    "read_graph",
    "simulate",
]
__version__ = _version("sidelight")


def __getattr__(name: str) -> object:
    if name == "StructureLearner":  # scikit-learn is an extra, and takes its time to import
        from sidelight.estimator import StructureLearner

        return StructureLearner
    raise AttributeError(f"module 'sidelight' has no attribute {name!r}")
