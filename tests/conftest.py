"""Settings for all tests: hypothesis without deadlines, since the first call of a kernel compiles it; BLAS in one thread.

Tests run in as many processes as there are cores, so that threads of BLAS would only get into each other's way.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile("sidelight", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("sidelight")
