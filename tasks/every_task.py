"""Every task of this project for mteb, in one list."""

from harness_ext.tasks.epsilon_compositionality import EpsilonCompositionality, EpsilonCompositionalityMini
from harness_ext.tasks.montague_consistency import MontagueConsistency, MontagueConsistencyFast
from harness_ext.tasks.noun_compound_similarity import (
    NounCompoundAffinity,
    NounCompoundAffinityMini,
    NounCompoundScaledSimilarity,
    NounCompoundScaledSimilarityMini,
)
from harness_ext.tasks.polarity_sensitivity import PolaritySensitivity, PolaritySensitivityMini
from harness_ext.tasks.tree_reconstruction import TreeReconstruction, TreeReconstructionMini
from harness_ext.tasks.type_token_idiomaticity import TypeTokenIdiomaticity

TASKS = (
    EpsilonCompositionality,
    EpsilonCompositionalityMini,
    NounCompoundAffinity,
    NounCompoundAffinityMini,
    NounCompoundScaledSimilarity,
    NounCompoundScaledSimilarityMini,
    TypeTokenIdiomaticity,
    MontagueConsistency,
    MontagueConsistencyFast,
    PolaritySensitivity,
    PolaritySensitivityMini,
    TreeReconstruction,
    TreeReconstructionMini,
)
"""Every task of this project, in the order of the documentation."""
