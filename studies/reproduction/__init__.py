"""The paper's experiments: every figure and table, made again and compared with its numbers."""
