"""Files: opened within the memory that is there, written whole or not at all."""
