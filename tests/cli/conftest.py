"""Commands draw few resamples by default here, since most of these tests are about something else."""

import pytest

from sidelight.certainty import resamples


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(resamples, "MOST", 20)
