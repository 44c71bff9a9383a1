"""Settings for all tests: no deadlines of hypothesis, since the first call of a kernel compiles it; one thread of BLAS.

Tests run in as many processes as there are cores, so that threads of BLAS would only get into each other's way.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings

settings.register_profile("sidelight", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("sidelight")
