"""What a network rests on: its evidence, by other graphs too, what limits trust in it, and how it was learned."""
