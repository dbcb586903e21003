"""May a result be believed? What a maintainer would check of it, and what the maintainers have signed off."""
