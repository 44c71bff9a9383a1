"""Learn the structure of a Bayesian network with few, small independence tests, by using what is already known."""

from sidelight.certificate import Certificate
from sidelight.errors import AnswerError, InputError
from sidelight.independence import CITest, DSeparation
from sidelight.learn import learn
from sidelight.network import Network
from sidelight.side_information import CliqueNumber, DiamondFree, MaxInDegree, Treewidth, VertexCover

__all__ = [
    "AnswerError",
    "CITest",
    "Certificate",
    "CliqueNumber",
    "DSeparation",
    "DiamondFree",
    "InputError",
    "MaxInDegree",
    "Network",
    "Treewidth",
    "VertexCover",
    "learn",
]
