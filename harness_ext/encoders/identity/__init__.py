"""Identity of a model: name, revision, and a hash of everything that decides its vectors."""
