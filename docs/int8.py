"""Measure all-MiniLM-L6-v2 in float32 and in int8, for the question in faq.md. Needs
sentence-transformers[onnx].
"""

from sentence_transformers import SentenceTransformer, export_dynamic_quantized_onnx_model

from harness_ext import measure

plain = SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2", device="cpu")
plain.save_pretrained("minilm")
onnx = SentenceTransformer("minilm", backend="onnx", device="cpu")
onnx.save_pretrained("minilm")
export_dynamic_quantized_onnx_model(onnx, "avx2", "minilm")
file = {"file_name": "onnx/model_quint8_avx2.onnx"}
int8 = SentenceTransformer("minilm", backend="onnx", device="cpu", model_kwargs=file)
for name, model in {"float32": plain, "int8": int8}.items():
    measure(model, "MergeOppositesMini").save("results", model=f"me/minilm-{name}")
