# Reruns of submitted results on a CPU, with the versions that the project was tested with:
#   docker build -t compositionality .
#   docker run --rm -v "$PWD/leaderboard:/results" -v compositionality-cache:/cache compositionality \
#     verify --rerun --by "A. Maintainer" /results
FROM python:3.11-slim
ENV PIP_NO_CACHE_DIR=1 HF_HOME=/cache/huggingface HARNESS_EXT_CACHE=/cache/sources OMP_NUM_THREADS=2
WORKDIR /source
COPY pyproject.toml constraints.txt hatch_build.py REPOSITORY harness_ext_autoload.pth README.md LICENSE ./
COPY locks locks
COPY harness_ext harness_ext
COPY tasks tasks
COPY datasets_scripts datasets_scripts
RUN pip install --no-deps --require-hashes -r locks/docker.txt && pip install -c constraints.txt ".[lm,static]"
WORKDIR /results
ENTRYPOINT ["harness-ext"]
CMD ["--help"]
