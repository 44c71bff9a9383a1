"""What fails on a cluster is one sentence that says what to do; what was lost with a restart is done again.

The workers are threads of this process, so that each test has a cluster of its own.
"""

import numpy as np
import pandas as pd
import pytest

import sidelight as sl
from sidelight.families.discrete import distinct, marginal_tables, statistics
from sidelight.runs import cluster as clusters
from sidelight.runs.running import run
from sidelight.simulation import networks

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


@pytest.fixture
def workers():
    with distributed.LocalCluster(1, processes=False, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(workers):
    with distributed.Client(workers) as found:
        yield found
    dask.config.config.pop("scheduler", None)  # a client whose scheduler is gone leaves itself as the default


def numbers(rows=60):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(rows, 3)), columns=["a", "b", "c"])
    return frame.assign(b=frame["a"] + frame["b"])


def divided(frame, change=lambda part, number: part):
    """Three partitions, each perhaps changed."""
    return dd.from_map(lambda number: change(frame.iloc[number::3], number), range(3), meta=frame.iloc[:0])


def restarted(client):
    """What a client does when its cluster was restarted: all that it waits for is lost."""

    async def lose():
        client._handle_restart()

    client.sync(lose)


def test_a_partition_without_a_column_is_named(client):
    parts = divided(numbers(), lambda part, number: part.drop(columns="b") if number == 1 else part)
    with pytest.raises(sl.InputError, match=r"^partition 2 of the Dask data frame has no column 'b', .* drop=\['b'\]$"):
        sl.learn(parts)
    assert sl.learn(parts, drop=["b"]).names == ("a", "c")
    with pytest.raises(sl.InputError, match=r"^partition 1 of the Dask data frame is a NoneType, and not a data frame"):
        sl.learn(divided(numbers(), lambda part, number: None))


def test_what_a_restart_has_lost_is_done_again(client):
    times = [1, 1]

    def progress(phase, done):
        if phase == "reading" and times:
            times.pop()
            restarted(client)

    net = sl.learn(divided(numbers()), progress=progress)
    assert not times
    assert net.n_rows == 60
    assert net.score == pytest.approx(sl.learn(numbers()).score, rel=1e-9)


def test_runs_that_a_restart_has_lost_are_done_again_and_recorded_once(client):
    jobs, told = [{"number": number} for number in range(5)], []

    def tick(count):
        told.append(count)
        if sum(told) == 2:
            restarted(client)

    results = list(run(jobs, None, lambda job: {"twice": 2 * job["number"]}, 1, client, tick))
    assert sorted(result["twice"] for _, result in results) == [0, 2, 4, 6, 8]
    assert sum(told) == 5


def test_rows_that_workers_kept_are_read_again_after_a_restart(client, monkeypatch):
    monkeypatch.setattr(distinct, "WORTH_IT", 0.0)
    monkeypatch.setattr(statistics, "BROUGHT_HERE", 0)
    monkeypatch.setattr(marginal_tables, "ROWS_PER_CELL", 1)
    frame = sl.simulate(networks.load_discrete("asia"), 3000, kind="discrete", seed=8).table.to_pandas()
    times = [1]

    def progress(phase, done):
        if phase == "boundaries" and times:
            times.pop()
            restarted(client)

    net = sl.learn(divided(frame), progress=progress)
    assert not times
    assert net.score == pytest.approx(sl.learn(frame).score, rel=1e-9)


def test_a_cluster_that_loses_its_work_again_and_again_is_given_up(client):
    with pytest.raises(sl.InputError, match=r"^the cluster has lost its work 4 times, .*; repeat the call"):
        list(run([{"number": 0}], None, lambda job: restarted(client), 1, client, lambda count: None))


@pytest.mark.parametrize("gone", ["the scheduler", "the client"])
def test_a_scheduler_that_is_gone_and_a_closed_client_are_said_to_be(workers, client, gone):
    def end(phase, done):
        (workers if gone == "the scheduler" else client).close()

    with pytest.raises(sl.InputError, match=r"the scheduler .* is gone, or the client was closed: start the cluster"):
        sl.learn(divided(numbers()), dask=client, progress=end)


def test_an_error_of_the_users_own_is_raised_as_it_is(client):
    def fails(part, number):
        raise ZeroDivisionError("my own")

    with pytest.raises(ZeroDivisionError, match="my own"):
        sl.learn(divided(numbers(), fails))


def test_a_cluster_without_workers_says_so_where_dask_waits_no_longer():
    """How long that is, Dask is told; by default it waits for ever, since some clusters start workers when needed."""
    no_worker = type("NoWorkerError", (Exception,), {})
    assert "start workers, and repeat the call" in clusters._said(no_worker())
