"""The bundled structures are those of the paper's table, where the paper uses the same graphs."""

import pytest

import sidelight as sl
from sidelight.graphs import properties
from sidelight.simulation import networks

# n, edges, clique number, in-degree, degree, boundary, diamond-free: the paper's table of structures, but for the
# edges of andes (328 in the paper).
PAPER = {
    "insurance-paper": (27, 51, 3, 3, 9, 10, True),
    "diabetes-paper": (104, 148, 3, 2, 7, 12, True),
    "hepar2": (70, 123, 4, 6, 19, 26, True),
    "andes": (223, 338, 3, 6, 12, 23, False),
    "pigs": (441, 592, 2, 2, 41, 68, True),
}


@pytest.mark.parametrize("name", PAPER)
def test_a_bundled_structure_has_the_figures_of_the_paper(name):
    assert tuple(properties.summary(networks.load(name)).values())[:7] == PAPER[name]


def test_every_bundled_structure_is_a_dag():
    for name in networks.available():
        sl.DSeparation(networks.load(name))


def test_a_network_that_is_not_there_is_named():
    with pytest.raises(sl.InputError, match=r"must be one of .*asia.*; got 'azia'"):
        networks.load("azia")
    with pytest.raises(sl.InputError, match=r"must be one of .*asia.*; got 'azia'"):
        networks.load_discrete("azia")
