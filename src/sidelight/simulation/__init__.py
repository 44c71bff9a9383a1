"""Known and random structures, and tables drawn from models over them."""
