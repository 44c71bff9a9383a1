"""How a network was learned, as a paragraph for the methods section of a paper, with the references that go with it.

Everything in it is said by the settings of the network; what was not done is not mentioned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version

from sidelight.network import Network
from sidelight.tables.findings import FindingKind
from sidelight.tables.table import as_list
from sidelight.text.sentences import counted, listed

RSL = "Mokhtarian, Akbari, Jamshidi, Etesami & Kiyavash (2022), AAAI 36, 7814–7822"
KINDS = {"number": "continuous", "category": "categorical", "ordinal": "ordinal"}
TESTS = {
    "fisher-z": "by partial correlations (Fisher's z; Student's t up to 100 degrees of freedom)",
    "kernel": "by the kernel conditional-independence test (Zhang, Peters, Janzing & Schölkopf 2011)",
    "chi2-moments": "by Pearson's χ² within the strata of the conditioning set, with its exact conditional moments",
    "g2": "by likelihood-ratio tests (G²) within the strata of the conditioning set",
    "chi2": "by Pearson's χ² within the strata of the conditioning set",
    "mixed": "by likelihood-ratio tests in which indicators stand for categories (degenerate Gaussian; Andrews, Ramsey "
    "& Cooper 2019), by score tests in logistic regressions, and by χ² tests within strata of categories",
    "d-separation": "by d-separation in a known graph",
    "function": "by a test supplied by the authors",
}
SCORES = {
    "ebic": "the extended Bayesian information criterion (Chen & Chen 2008; Foygel & Drton 2010)",
    "bic": "the Bayesian information criterion (Schwarz 1978)",
    "bdeu": "the Bayesian Dirichlet equivalent uniform score (Heckerman, Geiger & Chickering 1995)",
    "qnml": "quotient normalised maximum likelihood (Silander, Leppä-aho, Jääsaari & Roos 2018)",
}
LEARNERS = {
    "hybrid": f"RSL ({RSL}), a recursive algorithm that removes one variable at a time, followed by",
    "rsl": f"RSL ({RSL}), a recursive algorithm that removes one variable at a time",
    "marvel": "MARVEL (Mokhtarian, Akbari, Ghassami & Kiyavash 2021)",
    "l-marvel": "L-MARVEL (Akbari, Mokhtarian, Ghassami & Kiyavash 2021)",
    "pc": "the PC algorithm (Spirtes, Glymour & Scheines 2000), within Markov boundaries",
    "pc-stable": "the order-independent PC algorithm (Colombo & Maathuis 2014)",
    "gs": "the grow-shrink algorithm (Margaritis & Thrun 1999)",
    "cs": "the collider-set algorithm (Pellet & Elisseeff 2008)",
    "mmpc": "max-min parents and children (Tsamardinos, Brown & Aliferis 2006)",
    "hpc": "hybrid parents and children (de Morais & Aussem 2010)",
}
MISSING = {
    "drop": "Rows with missing values were left out{complete}.",
    "pairwise": "Each test used the rows that are complete in its variables{complete}, which assumes that values are "
    "missing completely at random; scores used all rows by the EM algorithm, which assumes that they are "
    "missing at random.",
    "em": "Correlations were estimated from all rows by the EM algorithm{complete}, assuming that values are missing "
    "at random, and each test used its effective sample size.",
}

DRAWN = {
    "bootstrap": "bootstrap resamples",
    "subsample": "random halves of the rows",
    "complementary-pairs": "random halves of the rows, in complementary pairs",
}
ROWS = {  # what says that they are not independent
    FindingKind.GROUPS: "Groups of rows may be alike, which the tests do not account for.",
    FindingKind.PANEL: "The table has several rows of each unit, which the tests do not account for.",
    FindingKind.AUTOCORRELATED_ROWS: "Consecutive rows are correlated, which the tests do not account for.",
    FindingKind.REPEATED_ROWS: "Some rows repeat others, which the tests do not account for.",
}


def methods(network: Network) -> str:
    """The paragraph."""
    return " ".join(_sentences(network))


def _sentences(network: Network) -> Iterator[str]:
    settings = network.settings
    yield _data(network)
    if network.n_rows is not None and network.n_complete is not None and network.n_complete < network.n_rows:
        some = f"{network.n_complete} of {network.n_rows}"
        complete = f"; {some} remained" if settings.missing == "drop" else f" ({some} were complete)"
        yield MISSING.get(settings.missing, "").format(complete=complete)
    yield from _rows(network)
    yield f"{_algorithm(network)}."
    yield f"Conditional independence was tested {_test(network)}, at a significance level of {settings.alpha:g}."
    if settings.ordinal and settings.test == "mixed":
        yield "Ordinal variables entered tests by the normal scores of their ranks."
    yield from _boundaries(network)
    yield from _score(network)
    yield from _background(network)
    yield from _resamples(network)
    yield from _assumptions(network)
    yield f"The analysis used sidelight {version('sidelight')}."


def _data(network: Network) -> str:
    """What was learned from."""
    graph = "partial ancestral graph (PAG)" if network.is_pag else "Bayesian network"
    what = f"The structure of a {graph} over {counted(len(network.names), 'variable')}"
    if network.is_pag:
        what = what.replace("The structure of a", "A")
    kinds = Counter(column.type for column in network.types if column.kind.is_used)
    some = ", ".join(f"{kinds[kind]} {word}" for kind, word in KINDS.items() if kinds[kind])
    rows = "" if network.n_rows is None else f" from {network.n_rows} rows"
    return f"{what}{f' ({some})' * bool(some)} was learned{rows}."


def _rows(network: Network) -> Iterator[str]:
    """How rows were weighed and compared."""
    settings, found = network.settings, {warning.kind for warning in network.warnings}
    groups = listed(as_list(settings.given.get("groups")), quoted=True)
    if settings.weighted:
        yield "Rows were weighted."
    if FindingKind.WITHIN_GROUPS in found:
        yield f"Rows were compared within the groups that {groups} tells apart."
    if FindingKind.BETWEEN_GROUPS in found:
        yield f"The means of the groups that {groups} tells apart were compared."
    if settings.experiments:
        each = listed([" with ".join(map(str, names)) for names in settings.experiments if names])
        yield f"In some rows variables had been set ({each}); each was modelled by the rows in which it had not."
    if settings.time_order is not None:
        lags = counted(settings.time_order.lags, "earlier wave")
        yield f"Variables entered with their values of up to {lags}; no arrow points back in time."


def _algorithm(network: Network) -> str:
    settings = network.settings
    learner = LEARNERS.get(settings.learner, settings.learner)
    if settings.learner == "hybrid" and settings.time_order is not None:
        learner = f"{'an exact' if network.certificate.best_score else 'a local'} score-based search"
    elif settings.learner == "hybrid":
        learner += " an exact" if network.certificate.best_score else " a"
        learner += f" score-based search{' among ancestral graphs' * network.is_pag}"
    limits = {"max_tests": settings.max_tests, "max_conditioning": settings.max_conditioning}
    set_to = [f"{name.replace('_', ' ')} {value}" for name, value in limits.items() if value is not None]
    bounded = f", limited by {listed(set_to)}" if set_to else ""
    side = f", with the side information that the structure is {settings.side}" if settings.side is not None else ""
    return f"The algorithm was {learner}{side}{bounded}"


def _test(network: Network) -> str:
    settings = network.settings
    test = TESTS.get(settings.test, f"the test {settings.test}")
    if settings.correlation == "normal-scores":
        test += " of the normal scores of the ranks (van der Waerden)"
    return test


def _boundaries(network: Network) -> Iterator[str]:
    """How Markov boundaries were found, where they were."""
    settings = network.settings
    if settings.boundary_alpha is None or settings.boundaries in ("none", "given"):
        return
    how = "total conditioning" if settings.boundaries == "tc" else settings.boundaries.upper()
    yield f"Markov boundaries were found by {how} at a significance level of {settings.boundary_alpha:.3g}."


def _score(network: Network) -> Iterator[str]:
    settings = network.settings
    if settings.score is None or not network.search_steps:
        return
    penalty = (
        "" if settings.penalty is None else f", with the penalty for a parameter multiplied by {settings.penalty:g}"
    )
    proof = "; no structure has a higher score" if network.certificate.best_score else ""
    yield f"The score was {SCORES.get(settings.score, settings.score)}{penalty}{proof}."
    if network.added_edges:
        n_added = len(network.added_edges)
        were = "was" if n_added == 1 else "were"
        yield f"After the search {counted(n_added, 'edge')} that the tests demanded {were} added."


def _background(network: Network) -> Iterator[str]:
    known = network.settings.known
    if known.statements:
        yield f"Background knowledge was imposed ({known})."


def _resamples(network: Network) -> Iterator[str]:
    shares = network.shares
    if shares is not None:
        drawn = f"{shares.n_resamples} {DRAWN[shares.method]}, seed {shares.seed}"
        yield f"The uncertainty of edges and directions was judged by their shares among {drawn}."


def _assumptions(network: Network) -> Iterator[str]:
    """What all of it rests on, and what the data say of it."""
    causes = "" if network.is_pag else ", no hidden common causes"
    within = " within groups" * any(warning.kind == FindingKind.WITHIN_GROUPS for warning in network.warnings)
    what = f"independent rows{within}, the causal Markov condition and faithfulness{causes}, and no selection"
    yield f"The method assumes {what}."
    if network.is_pag:
        yield "Hidden common causes were allowed for."
    else:
        what = "a Markov equivalence class of directed acyclic graphs"
        yield f"The result is {what}; edges whose direction the data leave open are undirected."
    found = {warning.kind for warning in network.warnings}
    yield from (sentence for kind, sentence in ROWS.items() if kind in found)
