import networkx as nx

import sidelight as sl


def test_a_notebook_shows_picture_and_certificate_with_names_escaped():
    names = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "c"]
    net = sl.learn(sl.DSeparation(nx.DiGraph(nx.utils.pairwise(names))))
    html = net._repr_html_()
    assert "<svg" in html
    assert net.certificate.heading in html
    assert "<script" not in html
    assert "<img" not in html


def test_counts_agree_with_their_nouns():
    net = sl.learn(sl.DSeparation(nx.DiGraph([("a", "b")])))
    assert "2 variables, 0 directed and 1 undirected edge;" in net._repr_html_()
    assert "<Network: 2 variables, 0 directed and 1 undirected edge>" in repr(net)


def test_a_network_too_large_for_a_still_picture_points_to_the_report():
    graph = nx.DiGraph()
    graph.add_nodes_from(range(101))
    assert "net.report" in sl.learn(sl.DSeparation(graph))._repr_html_()
