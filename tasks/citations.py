"""The papers that more than one task cites."""

NCIMP_CITATION = r"""@article{he-etal-2025-investigating,
  author = {He, Wei and Kramer Vieira, Tiago and Garcia, Marcos and Scarton, Carolina
    and Idiart, Marco and Villavicencio, Aline},
  doi = {10.1162/coli_a_00546},
  journal = {Computational Linguistics},
  number = {2},
  title = {Investigating Idiomaticity in Word Representations},
  volume = {51},
  year = {2025},
}"""
