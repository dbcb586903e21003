"""Tree reconstruction error (Bhathena et al. 2020)."""
