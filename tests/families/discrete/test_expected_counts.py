"""Expected counts against sums over all completions; the EM algorithm against its theorems."""

from itertools import product

import numpy as np
import pytest

from sidelight.families.discrete.incomplete import Families, em_rounds, expected, log_likelihood

# 0 → 1 → 2 ← 3, 3 → 4
PARENTS = [set(), {0}, {1, 3}, set(), {3}]
CATEGORIES = (2, 3, 2, 3, 2)
FAMILIES = Families.of(PARENTS, CATEGORIES)


def random_tables(seed=0):
    rng = np.random.default_rng(seed)
    flat = np.empty(FAMILIES.start[-1])
    for table in FAMILIES.tables(flat):
        table[...] = rng.dirichlet(np.ones(table.shape[-1]), size=table.shape[:-1])
    return flat


def probability(row, flat):
    """Of a complete row."""
    tables = FAMILIES.tables(flat)
    return np.prod([tables[v][tuple(row[m] for m in (*sorted(PARENTS[v]), v))] for v in range(5)])


def sampled(rows=300, seed=0, rate=0.3):
    rng, flat = np.random.default_rng(seed), random_tables(seed)
    every = np.array(list(product(*map(range, CATEGORIES))))
    shares = np.array([probability(row, flat) for row in every])
    codes = every[rng.choice(len(every), rows, p=shares / shares.sum())].astype(np.int8)
    codes[rng.random(codes.shape) < rate] = -1
    return codes


def by_enumeration(codes, flat):
    """Expected counts and log-likelihood from all completions of each row."""
    counts, likelihood = np.zeros(len(flat)), 0.0
    for row in codes:
        choices = [range(k) if code < 0 else [code] for code, k in zip(row, CATEGORIES, strict=True)]
        completions = list(product(*choices))
        shares = np.array([probability(c, flat) for c in completions])
        likelihood += np.log(shares.sum())
        counts += FAMILIES.counts(np.array(completions), shares / shares.sum())
    return counts, likelihood


def test_expected_counts_and_likelihood_are_those_of_all_completions():
    codes, flat = sampled(60), random_tables(1)
    counts, likelihood, n_sampled = expected(codes, np.ones(60), FAMILIES, flat, np.random.default_rng(0))
    exact, exact_likelihood = by_enumeration(codes, flat)
    assert n_sampled == 0
    assert counts == pytest.approx(exact, abs=1e-9)
    assert likelihood == pytest.approx(exact_likelihood)
    assert log_likelihood(codes, np.ones(60), FAMILIES, flat, 1000)[0] == pytest.approx(exact_likelihood)


def test_sampled_counts_are_close_to_the_exact_ones(monkeypatch):
    monkeypatch.setattr("sidelight.families.discrete.incomplete.MOST_COMBINATIONS", 1)
    codes, flat = np.repeat(sampled(20, seed=3), 100, axis=0), random_tables(1)
    counts, _, n_sampled = expected(codes, np.ones(2000), FAMILIES, flat, np.random.default_rng(0))
    exact, _ = by_enumeration(codes[::100], flat)
    assert n_sampled > 0
    assert np.abs(counts / 100 - exact).max() < 0.15


def test_each_round_of_em_raises_the_likelihood():
    codes = sampled(200, rate=0.4)
    likelihoods = [likelihood for _, likelihood in em_rounds(codes, np.ones(200), FAMILIES, 0.0)]
    assert len(likelihoods) > 5
    assert (np.diff(likelihoods) > -1e-8).all()


def test_without_gaps_em_is_the_relative_frequencies_and_with_fewer_gaps_it_comes_closer():
    complete = sampled(1000, rate=0.0)
    exact = FAMILIES.probabilities(FAMILIES.counts(complete, None), 1.0)
    distances = []
    for rate in (0.3, 0.1, 0.01, 0.0):
        codes = np.where(np.random.default_rng(1).random(complete.shape) < rate, -1, complete).astype(np.int8)
        *_, (found, _) = em_rounds(codes, np.ones(1000), FAMILIES, 1.0)
        distances.append(np.abs(found - exact).mean())
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] == pytest.approx(0, abs=1e-12)


def test_a_weight_counts_equal_rows():
    codes, weights, flat = sampled(40), np.random.default_rng(0).integers(1, 4, 40), random_tables(2)
    rng = np.random.default_rng
    one, _, _ = expected(codes, weights.astype(float), FAMILIES, flat, rng(0))
    other, _, _ = expected(np.repeat(codes, weights, axis=0), np.ones(weights.sum()), FAMILIES, flat, rng(0))
    assert one == pytest.approx(other)
