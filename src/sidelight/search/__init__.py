"""Score-based search: a search is ``search(task) -> FoundDag``, named by the learners that go on with it."""

from sidelight.search.found import FoundDag, SearchStep
from sidelight.search.maximise import SearchTask, maximise

__all__ = ["FoundDag", "SearchStep", "SearchTask", "maximise"]
