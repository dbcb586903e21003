"""Extends `lm_eval.api.task.ConfigurableTask`: options scored against a frame, and equal requests asked once.

lm-eval's own control, `acc_mutual_info`, is the option after no text at all. It can ask nothing else.
"""

from __future__ import annotations

from typing import Any

from lm_eval.api.task import ConfigurableTask


class FramedTask(ConfigurableTask):
    """A task that asks for each option twice: after the prompt, and after the document's `frame`.

    The frame is the prompt without its sentence or phrase. `process_results` gets the answers after the prompt, then
    those after the frame. A document without `frame` is asked about once.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config={key: value for key, value in config.items() if key != "class"})

    def frame(self, doc: dict[str, Any]) -> str | None:
        """The prompt of a document without its sentence or phrase; None if it has none."""
        return doc.get("frame")

    def construct_requests(self, doc: dict[str, Any], ctx: Any, **kwargs: Any) -> Any:
        """The requests of lm-eval, and the same after the frame.

        Raises:
            ValueError: The chat template changes the prompt, so that its place is not found.
        """
        requests = super().construct_requests(doc, ctx, **kwargs)
        frame = self.frame(doc)
        if frame is None:
            return requests
        before, found, after = ctx.rpartition(self.doc_to_text(doc))
        if not found:
            raise ValueError(
                f"{self.config.task}, document {doc['id']}: its prompt is not in the text that lm-eval made"
            )
        framed = super().construct_requests(doc, f"{before}{frame}{after}", **kwargs)
        for number, request in enumerate(framed, start=len(requests)):
            request.idx = number
        return [*requests, *framed]

    def build_all_requests(self, **kwargs: Any) -> None:
        """The requests of all documents. Of equal ones the first is asked, and the others share its answer."""
        super().build_all_requests(**kwargs)
        asked: dict[str, Any] = {}
        for request in self.instances:
            first = asked.setdefault(repr(request.args), request)
            if first is not request:
                request.resps, request.repeats = first.resps, 0
