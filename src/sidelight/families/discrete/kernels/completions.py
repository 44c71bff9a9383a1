"""Numba kernels for discrete rows with gaps, filled by a network of tables: arrays in, arrays out.

A network is a tuple of arrays: where each family's members begin, the members (parents, then the variable), the step of
each member in the family's table, where each table begins among all probabilities, where the families that contain a
variable begin, those families, and the numbers of categories. Missing variables that share no family are independent
given the rest of the row, so a row's gaps fall into groups, each of which is enumerated, or sampled if it is large.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels.compiling import njit

BURN_IN, SWEEPS = 10, 40  # of Gibbs sampling, for groups that are too large to be enumerated


@njit(cache=True)
def _cell(row, family, network):
    """Where the table of a family has the row's categories."""
    start, members, steps, table = network[0], network[1], network[2], network[3]
    cell = table[family]
    for i in range(start[family], start[family + 1]):
        cell += steps[i] * row[members[i]]
    return cell


@njit(cache=True)
def _group(first, row, network, variable_seen, family_seen, group, families):
    """Write the missing variables that families connect with the first, and these families; return how many."""
    start, members, touching, touched = network[0], network[1], network[4], network[5]
    group[0], n_group, n_families, done = first, 1, 0, 0
    variable_seen[first] = True
    while done < n_group:
        v = group[done]
        done += 1
        for i in range(touching[v], touching[v + 1]):
            family = touched[i]
            if family_seen[family]:
                continue
            family_seen[family] = True
            families[n_families] = family
            n_families += 1
            for j in range(start[family], start[family + 1]):
                if row[members[j]] < 0 and not variable_seen[members[j]]:
                    variable_seen[members[j]] = True
                    group[n_group] = members[j]
                    n_group += 1
    return n_group, n_families


@njit(cache=True)
def _probability(row, families, n_families, network, probabilities):
    product = 1.0
    for i in range(n_families):
        product *= probabilities[_cell(row, families[i], network)]
    return product


@njit(cache=True)
def _next(row, group, n_group, categories):
    """Move the group to its next combination of categories; False after the last."""
    for i in range(n_group):
        row[group[i]] += 1
        if row[group[i]] < categories[group[i]]:
            return True
        row[group[i]] = 0
    return False


@njit(cache=True)
def _sweep(row, group, n_group, network, probabilities, shares, rng):
    """Draw each variable of a group given all others."""
    touching, touched, categories = network[4], network[5], network[6]
    for i in range(n_group):
        v, total = group[i], 0.0
        for category in range(categories[v]):
            row[v] = category
            product = 1.0
            for j in range(touching[v], touching[v + 1]):
                product *= probabilities[_cell(row, touched[j], network)]
            total += product
            shares[category] = total
        wanted, row[v] = rng.random() * total, 0
        while row[v] < categories[v] - 1 and shares[row[v]] <= wanted:
            row[v] += 1


@njit(cache=True)
def _add(row, families, n_families, network, weight, counts):
    for i in range(n_families):
        counts[_cell(row, families[i], network)] += weight


@njit(cache=True)
def _enumerated(row, group, n_group, families, n_families, network, probabilities, weight, counts):
    """Add each combination of a group's categories, as probable as it is; return their probability together."""
    row[group[:n_group]] = 0
    total, more = 0.0, True
    while more:
        total += _probability(row, families, n_families, network, probabilities)
        more = _next(row, group, n_group, network[6])
    more = total > 0 and len(counts) > 0
    while more:
        share = _probability(row, families, n_families, network, probabilities) / total
        if share > 0:
            _add(row, families, n_families, network, weight * share, counts)
        more = _next(row, group, n_group, network[6])
    return total


@njit(cache=True)
def expected_counts(codes, weights, network, probabilities, most, counts, rng):
    """Add the counts of all families that are expected; return the rows' log-likelihood and how many were sampled.

    Groups of gaps with more than ``most`` combinations are sampled; the likelihood is then without them. Without room
    for counts only the likelihood is computed.
    """
    n, categories = codes.shape[1], network[6]
    group, families = np.empty(n, np.int64), np.empty(n, np.int64)
    variable_seen, family_seen = np.empty(n, np.bool_), np.empty(n, np.bool_)
    shares, likelihood, n_sampled = np.empty(max(1, categories.max())), 0.0, 0
    for number in range(len(codes)):
        row, weight, sampled = codes[number].astype(np.int64), weights[number], False
        variable_seen[:], family_seen[:] = False, False
        for first in np.flatnonzero(row < 0):
            if variable_seen[first]:
                continue
            n_group, n_families = _group(first, row, network, variable_seen, family_seen, group, families)
            n_combinations = 1.0
            for v in group[:n_group]:
                n_combinations *= categories[v]
            if n_combinations <= most:
                total = _enumerated(row, group, n_group, families, n_families, network, probabilities, weight, counts)
                likelihood += weight * np.log(total)
            else:
                sampled = True
                for v in group[:n_group]:
                    row[v] = int(rng.random() * categories[v])
                for sweep in range(BURN_IN + SWEEPS):
                    _sweep(row, group, n_group, network, probabilities, shares, rng)
                    if sweep >= BURN_IN and len(counts):
                        _add(row, families, n_families, network, weight / SWEEPS, counts)
            row[group[:n_group]] = -1
        n_sampled += sampled
        for family in range(n):
            if not family_seen[family]:
                cell = _cell(row, family, network)
                likelihood += weight * np.log(probabilities[cell])
                if len(counts):
                    counts[cell] += weight
    return likelihood, n_sampled


@njit(cache=True)
def redraw(codes, gaps, network, probabilities, rng):
    """Draw the gaps of complete rows anew, each given the rest of its row, in place."""
    shares, group = np.empty(max(1, network[6].max())), np.empty(codes.shape[1], np.int64)
    for number in range(len(codes)):
        row, n_group = codes[number].astype(np.int64), 0
        for v in range(len(row)):
            if gaps[number, v]:
                group[n_group] = v
                n_group += 1
        _sweep(row, group, n_group, network, probabilities, shares, rng)
        for i in range(n_group):
            codes[number, group[i]] = row[group[i]]
