"""Extends `lm_eval.api.task.ConfigurableTask`: the class of which every task for lm-eval is a
declaration.

lm-eval's own control, `acc_mutual_info`, is the option after no text at all. It can ask nothing
else.
"""

import random
import sys
from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any, ClassVar

from datasets import Dataset, DatasetDict
from lm_eval.api.task import ConfigurableTask

from harness_ext.measures.core.document_measure import EXCLUDED, metric_list, record
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.language_models.option_scores import option_columns

Document = dict[str, Any]

_SEED = 42


class DocumentTask(ConfigurableTask):  # type: ignore[misc]
    """A task that turns rows into documents, asks about each, and scores the answers by a measure.

    A document has an `id`, its `dataset`, the facts that are columns of the measure's items, and
    what its YAML file names: the `prompt`, the `choices` and which of them is right (`gold`). Where
    it has a `frame`, the prompt without its sentence or phrase, each choice is asked for twice:
    after the prompt, then after the frame.

    Attributes:
        measure: The measure.
        options: The options of the measure, in the order of a document's `choices`, unless the
            document has `roles`.
    """

    measure: ClassVar[Measure[Any]]
    options: ClassVar[Sequence[str]] = ()

    @abstractmethod
    def documents(self, *_: Any, **data: Any) -> Iterator[list[Document] | str]:
        """Turn each row into documents, or into the reason `<reason>` why it is not asked:
        `n_excluded_<reason>`.

        `data` are the `dataset_kwargs` of the YAML file.
        """

    def examples(self, *_: Any, **data: Any) -> dict[str, list[Document]]:
        """Make the splits of which few-shot examples are taken."""
        return {}

    def not_defined(self, *_: Any, **data: Any) -> Collection[str]:
        """Name the scores that these data cannot give."""
        return ()

    def columns(
        self,
        doc: Document,
        results: Sequence[Any],
    ) -> dict[str, Any]:
        """Turn the answers into columns of the items: here log-likelihoods, after the prompt and
        after the frame.
        """
        return option_columns(doc.get("roles", self.options), doc["choices"], results)

    def __init__(self, config: dict[str, Any]) -> None:
        ours = {
            "metric_list": metric_list(self.measure),
            "process_results": self.row_of,
            "metadata": {**(config.get("metadata") or {}), "version": self.measure.version},
        }
        super().__init__(
            config={key: value for key, value in config.items() if key != "class"} | ours
        )

    def download(self, dataset_kwargs: dict[str, Any] | None = None, **_: Any) -> None:
        """Make the documents, as split `test`, and the examples. lm-eval calls this at the start.

        The documents of a row stay together. The rows are shuffled, always in the same way, so that
        `--limit` takes documents of every class. How many rows are not asked is a column of every
        document.
        """
        data = dataset_kwargs or {}
        (table,) = self.measure.items.table_types().values()
        excluded = {name: 0 for name in table.columns() if name.startswith(EXCLUDED)}
        asked: list[list[Document]] = []
        for documents in self.documents(**data):
            if isinstance(documents, str):
                excluded[f"{EXCLUDED}{documents}"] += 1
            else:
                asked.append(documents)
        random.Random(_SEED).shuffle(asked)
        test = [{**doc, **excluded} for of_row in asked for doc in of_row]
        splits = {"test": test, **self.examples(**data)}
        self.dataset = DatasetDict(
            {split: Dataset.from_list(docs) for split, docs in splits.items()}
        )
        self._not_defined = self.not_defined(**data)

    def row_of(
        self,
        doc: Document,
        results: Sequence[Any],
    ) -> dict[str, Any]:
        """The row of a document in the items, from the answers to its requests."""
        return record(self.measure, {**doc, **self.columns(doc, results)}, self._not_defined)

    def process_results(self, doc: Document, results: Sequence[Any]) -> Any:
        """The row of a document; nothing for `--predict_only`, with which lm-eval asks for no
        scores.
        """
        is_bypassed = any(metric["metric"] == "bypass" for metric in self.config.metric_list or ())
        return {"bypass": 0} if is_bypassed else super().process_results(doc, results)

    def construct_requests(self, doc: Document, ctx: Any, **kwargs: Any) -> Any:
        """The requests of lm-eval, and the same after the frame.

        Raises:
            ValueError: The chat template changes the prompt, so that its place is not found.
        """
        requests = super().construct_requests(doc, ctx, **kwargs)
        # messages for a chat API, which gives no probabilities, as lm-eval will say
        if not isinstance(ctx, str):
            if "lm_eval" in sys.argv[0].replace("-", "_"):
                sys.tracebacklimit = 0  # in one line
            return requests
        frame = doc.get("frame")
        if frame is None:
            return requests
        before, prompt, after = ctx.rpartition(self.doc_to_text(doc))
        if not prompt:
            raise ValueError(
                f"{self.config.task}, document {doc['id']}: its prompt is not in the text that "
                "lm-eval made"
            )
        framed = super().construct_requests(doc, f"{before}{frame}{after}", **kwargs)
        for place, request in enumerate(framed, start=len(requests)):
            request.idx = place
        return [*requests, *framed]

    def build_all_requests(self, **kwargs: Any) -> None:
        """The requests of all documents. Of equal ones the first is asked, and the others share its
        answer.
        """
        super().build_all_requests(**kwargs)
        asked: dict[str, Any] = {}
        for request in self.instances:
            first = asked.setdefault(repr(request.args), request)
            if first is not request:
                request.resps, request.repeats = first.resps, 0
