"""How near a learned graph is to the true one."""
