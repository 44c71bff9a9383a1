"""Graph values over column indices, what can be said of them, and the separating sets of their missing edges."""
