"""Learn the structure of a Bayesian network with few, small independence tests, by using what is already known."""

from sidelight.certificate import Certificate
from sidelight.doctor import Diagnosis
from sidelight.errors import AnswerError, InputError
from sidelight.independence import CITest, DSeparation, FisherZ
from sidelight.learn import learn
from sidelight.network import Network
from sidelight.prepare import diagnose
from sidelight.side_information import CliqueNumber, DiamondFree, MaxInDegree, Treewidth, VertexCover
from sidelight.statistics import Correlation

__all__ = [
    "AnswerError",
    "CITest",
    "Certificate",
    "CliqueNumber",
    "Correlation",
    "DSeparation",
    "Diagnosis",
    "DiamondFree",
    "FisherZ",
    "InputError",
    "MaxInDegree",
    "Network",
    "Treewidth",
    "VertexCover",
    "diagnose",
    "learn",
]
