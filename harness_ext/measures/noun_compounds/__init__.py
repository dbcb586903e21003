"""Idiomaticity of noun compounds (He et al. 2025; Garcia et al. 2021)."""
