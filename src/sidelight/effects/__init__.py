"""What is the effect of x on y? Whether the graph identifies it, by which adjustment, how large it is, how sure."""
