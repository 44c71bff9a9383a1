"""Where rows come from: files, folders, data frames, queries, iterators and clusters, as one protocol."""
