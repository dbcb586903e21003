"""What Affinity and Scaled Similarity cost beyond encoding their sentences.

Times, in turn, `SentenceTransformer.encode` of the distinct texts of both languages and splits, and the whole of
NounCompoundAffinity plus NounCompoundScaledSimilarity on the same texts at sentence level, dataset loading excluded.
Prints the median of each, and their ratio. Needs the NCIMP files (HARNESS_EXT_MIRROR, or the network).

    python benchmarks/noun_compounds.py --rounds 3
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import TYPE_CHECKING, Any

import mteb

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

LIMIT = 1.10


class SentencesOnly:
    """A model whose vectors of words in a sentence cannot be seen; notes the texts it encodes."""

    def __init__(self, model: Any) -> None:
        self.mteb_model_meta = model.mteb_model_meta
        self.similarity = model.similarity
        self.similarity_pairwise = model.similarity_pairwise
        self.texts: list[list[str]] = []
        self._sentence_model = model

    def encode(self, inputs: DataLoader[Any], **kwargs: Any) -> Any:
        """As the model; a new list in `texts` for every call."""
        self.texts.append([text for batch in inputs for text in batch["text"]])
        return self._sentence_model.encode(inputs, **kwargs)


def run_tasks(model: Any, tasks: list[Any]) -> SentencesOnly:
    """Evaluate all tasks with vectors that no round before has left in memory."""
    fresh = SentencesOnly(model)
    for task in tasks:
        for split in task.metadata.eval_splits:
            task.evaluate(fresh, split, encode_kwargs={"batch_size": 32, "show_progress_bar": False})
    return fresh


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="sentence-transformers/all-MiniLM-L6-v2")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()

    model: Any = mteb.get_model(arguments.model)
    tasks = mteb.get_tasks(tasks=["NounCompoundAffinity", "NounCompoundScaledSimilarity"])
    for task in tasks:
        task.load_data()

    start = time.perf_counter()
    calls = run_tasks(model, list(tasks)).texts
    print(f"first round, not counted: {time.perf_counter() - start:.1f} s", flush=True)
    n_texts = sum(map(len, calls))
    print(f"{n_texts} texts in {len(calls)} calls of encode")

    plain: list[float] = []
    whole: list[float] = []
    for number in range(1, arguments.rounds + 1):
        start = time.perf_counter()
        for texts in calls:
            model.model.encode(texts, batch_size=32, show_progress_bar=False)
        plain.append(time.perf_counter() - start)
        start = time.perf_counter()
        run_tasks(model, list(tasks))
        whole.append(time.perf_counter() - start)
        print(f"round {number}: encode {plain[-1]:.1f} s, both tasks {whole[-1]:.1f} s", flush=True)
    ratio = statistics.median(whole) / statistics.median(plain)
    print(f"median: encode {statistics.median(plain):.2f} s, both tasks {statistics.median(whole):.2f} s")
    print(f"ratio {ratio:.3f}, at most {LIMIT} wanted: {'ok' if ratio <= LIMIT else 'TOO SLOW'}")
    raise SystemExit(ratio > LIMIT)


if __name__ == "__main__":
    main()
