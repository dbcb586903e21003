"""What a dataset revision says beside its number."""

# as a `revision`: the dataset of this project, whatever folder of its name there is
PINNED = "pinned"
UNVERIFIED = "+unverified"  # part of a revision that says: some files differ from the pinned files
OWN_ROWS = "+own"  # part of a revision that says: the rows of the task are not those of its dataset


def pinned_revision(revision: str) -> str:
    """A dataset revision up to `UNVERIFIED`."""
    return revision.partition(UNVERIFIED)[0]
