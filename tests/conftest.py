"""Settings for all tests: hypothesis without deadlines, since the first call of a kernel compiles it."""

from hypothesis import HealthCheck, settings

settings.register_profile("sidelight", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("sidelight")
