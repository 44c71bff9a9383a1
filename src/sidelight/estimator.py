"""``learn`` as a scikit-learn estimator, so that it takes part in pipelines, clones and parameter searches."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sidelight.errors import InputError
from sidelight.fit import FittedNetwork
from sidelight.learning import learn
from sidelight.network import Network
from sidelight.options import Options

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise InputError(f"StructureLearner needs scikit-learn: pip install 'sidelight[sklearn]' ({error})") from error

if TYPE_CHECKING:
    from sklearn.utils import Tags

# Files are read and columns chosen before data reach an estimator, weights come to ``fit``, a function has no clone.
# A PAG has no parameters, and is no matrix of 0 and 1.
NOT_PARAMETERS = ("hidden", "names", "columns", "drop", "delimiter", "decimal", "header", "weights", "progress")
RENAMED = {"score": "criterion"}  # an estimator has a method of that name


class StructureLearner(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Learn the structure of a Bayesian network; the parameters are those of ``sidelight.learn``.

    What ``learn`` calls ``score`` is the parameter ``criterion`` here, since estimators have a method ``score``; either
    name can be given.

    Attributes:
        network_: the learned ``Network``.
        adjacency_: a matrix of 0 and 1; ``adjacency_[i, j]`` is 1 where i points to j, and an undirected edge stands
            in both places.
        n_features_in_: how many columns there were.
        feature_names_in_: their names, where X was a data frame with texts for names.
    """

    network_: Network
    adjacency_: NDArray[np.int8]
    n_features_in_: int
    missing: str
    _parameters: FittedNetwork | str
    _rows: tuple[Any, object]  # that were given to ``fit``, for categories that others have

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for option, parameter in RENAMED.items():
            if option in kwargs and parameter not in kwargs:
                kwargs[parameter] = kwargs.pop(option)
        given = signature(StructureLearner).bind(*args, **kwargs)  # a subclass may have parameters of its own
        given.apply_defaults()
        for name, value in given.arguments.items():
            setattr(self, name, value)

    def fit(self, X: Any, y: object = None, sample_weight: object = None) -> StructureLearner:  # noqa: N803
        """Learn from X, a data frame or an array of rows by columns; y is not used."""
        data = self._checked(X, reset=True)
        names = [f"x{i}" for i in range(self.n_features_in_)] if isinstance(data, np.ndarray) else None
        named = {parameter: option for option, parameter in RENAMED.items()}
        options = {named.get(name, name): getattr(self, name) for name in signature(StructureLearner).parameters}
        self.network_ = learn(data, names=names, weights=sample_weight, **options)
        position = {name: i for i, name in enumerate(self.network_.names)}
        self.adjacency_ = np.zeros((len(position), len(position)), dtype=np.int8)
        for tail, head in self.network_.to_networkx().edges:
            self.adjacency_[position[tail], position[head]] = 1
        self._rows = (data, sample_weight)
        self._parameters = self._fitted({})
        return self

    def score(self, X: Any, y: object = None) -> float:  # noqa: N803
        """The mean log-likelihood of the rows of X, under the parameters that the rows given to ``fit`` have.

        The prior gives a probability to categories that those rows did not have, as in a fold of a cross-validation.
        """
        check_is_fitted(self)
        data = self._checked(X, reset=False)
        fitted = self._parameters
        if not isinstance(fitted, str) and (new := fitted.new_categories(data)):
            fitted = self._fitted(new)
        if isinstance(fitted, str):
            raise InputError(f"there is no likelihood to score: {fitted}")
        return fitted.mean_log_likelihood(data, missing=self._gaps)

    def _fitted(self, categories: Mapping[Hashable, Sequence[object]]) -> FittedNetwork | str:
        """The parameters, or why there are none: a structure can be learned from more kinds of data than be fitted."""
        data, weights = self._rows
        try:
            return self.network_.fit(data, missing=self._gaps, weights=weights, categories=categories)
        except InputError as error:
            return str(error)

    @property
    def _gaps(self) -> str:
        """What becomes of rows with gaps where parameters are concerned."""
        return self.missing if self.missing in ("error", "drop") else "em"

    def _checked(self, data: Any, reset: bool) -> Any:
        """The data as scikit-learn wants them checked; texts and categories of a frame are for ``learn`` to read."""
        if hasattr(data, "columns"):
            return validate_data(self, data, reset=reset, skip_check_array=True)
        finite = True if self.missing == "error" else "allow-nan"
        return validate_data(self, data, reset=reset, dtype=None, ensure_all_finite=finite, ensure_min_samples=2)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        return tags


def _signature() -> Signature:
    """The options of ``learn`` that are parameters of an estimator."""
    parameters = signature(Options).parameters.items()
    chosen = [p.replace(name=RENAMED.get(name, name)) for name, p in parameters if name not in NOT_PARAMETERS]
    return Signature([Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *chosen])


StructureLearner.__init__.__signature__ = _signature()  # type: ignore[attr-defined]  # scikit-learn reads it
