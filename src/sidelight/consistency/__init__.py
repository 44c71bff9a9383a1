"""Does the result agree with the data that it was learned from? What the data refute is mended or reported."""
