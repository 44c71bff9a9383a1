"""Many runs, in parallel on this machine or on a cluster, each result kept as it comes."""
