"""A repository for a board of one's own: its workflows are run as they stand, but for installing
and publishing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from harness_ext.leaderboard.repository import init
from tests.command_line import harness_ext
from tests.planted import COMMIT

OWN = re.compile(r"python -m pip install|gh pr ")
"""What a test does not do: install, and speak to a forge."""


SPEC = f"compositionality-harness @ git+https://example.org/a/b@{COMMIT}"


WRONG = [
    "compositionality-harness==0.1.0",
    "compositionality-harness @ git+https://example.org/a/b@main",
    "compositionality-harness @ https://example.org/a.whl",
    f'compositionality-harness @ https://example.org/a"; curl evil #sha256={"0" * 64}',
    f"compositionality-harness @ git+https://ex\u0430mple.org/a/b@{COMMIT}",  # another letter a
]


@pytest.mark.parametrize("spec", WRONG)
def test_only_a_commit_or_a_hash_can_be_installed(tmp_path, spec):
    done = harness_ext("leaderboard", "init", tmp_path / "board", "--install", spec)
    assert done.exit_code == 2
    assert "a commit or a hash expected" in done.stderr
    assert not (tmp_path / "board").exists()


def test_without_it_the_workflows_say_so_and_fail(tmp_path):
    done = harness_ext("leaderboard", "init", tmp_path / "board")
    assert done.exit_code == 0
    assert "Still to do: " in done.stderr
    assert "--install" in done.stderr
    assert "Error" not in done.stderr
    (command,) = [one for one in steps(tmp_path / "board", "verify") if "install" in one]
    assert f"    {command}\n" in (tmp_path / "board" / "README.md").read_text()
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, "by a commit or a hash" in done.stdout) == (1, True)


def test_no_job_that_runs_our_code_can_write_and_a_push_takes_the_label(board):
    for name in ("verify", "publish"):
        content = workflow(board, name)
        assert content["permissions"] == {}
        for job in content["jobs"].values():
            runs_ours = any("pip install" in step.get("run", "") for step in job["steps"])
            assert not runs_ours or job["permissions"] == {"contents": "read"}
    label, verify_job = (workflow(board, "verify")["jobs"][name] for name in ("label", "verify"))
    assert label["if"].startswith("contains('synchronize reopened', github.event.action) && ")
    assert "--remove-label allow-changes" in label["steps"][0]["run"]
    (step,) = [step for step in verify_job["steps"] if step.get("name") == "Verify"]
    of_this_event = "github.event.action == 'labeled' && github.event.label.name == 'allow-changes'"
    allowed = f"(github.event_name == 'merge_group' || {of_this_event})"
    assert step["env"]["CHANGES"] == f"${{{{ {allowed} && '--allow-changes' || '' }}}}"
    assert "ulimit -v" in step["run"]


@pytest.fixture
def board(tmp_path):
    init(tmp_path / "board", "Board of <Ours> & theirs", SPEC)
    return tmp_path / "board"


def workflow(board, name):
    return yaml.safe_load((board / ".github" / "workflows" / f"{name}.yml").read_text())


def steps(board, name):
    """The commands of a workflow, in the order in which they run."""
    return [
        step["run"]
        for job in workflow(board, name)["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]


def run_step(board, name, folder):
    """Run the one command of a workflow that is ours in this environment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    (command,) = [step for step in steps(board, name) if not OWN.match(step)]
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_it_has_all_that_a_board_needs_and_installs_what_is_named(board):
    written = {str(path.relative_to(board)) for path in board.rglob("*") if path.is_file()}
    workflows = {f".github/workflows/{name}.yml" for name in ("verify", "publish")}
    assert written == {"README.md", "CONTRIBUTING.md", "LICENSE.md", ".gitignore", *workflows}
    assert (board / "README.md").read_text().startswith("# Board of <Ours> & theirs\n")
    for path in written:
        assert not re.search(r"@[A-Z_]+@", (board / path).read_text())
    for name in ("verify", "publish"):
        (install,) = [command for command in steps(board, name) if "pip install" in command]
        extra = "" if name == "verify" else "[report]"
        assert install == f'python -m pip install "{SPEC.replace(" ", f"{extra} ", 1)}"'
        text = (board / ("CONTRIBUTING.md" if name == "verify" else "README.md")).read_text()
        # no name that anyone may take
        assert re.findall(r"^ +(.*pip install.*)$", text, re.MULTILINE) == [install]


def test_a_pull_request_that_is_turned_to_another_branch_is_verified_again(board):
    events = workflow(board, "verify")[True]  # YAML 1.1 reads `on` as a truth value
    assert "edited" in events["pull_request_target"]["types"]
    assert "if" not in workflow(board, "verify")["jobs"]["verify"]  # what is skipped has succeeded


def test_a_later_run_cancels_the_older_one_which_does_not_comment(board):
    content = workflow(board, "verify")
    assert content["concurrency"] == {
        "group": "verify-${{ github.event.number || github.ref }}",
        "cancel-in-progress": True,
    }
    steps_of_verify, comment = content["jobs"]["verify"]["steps"], content["jobs"]["comment"]
    # always() runs when cancelled too
    assert steps_of_verify[-1]["if"] == "${{ !cancelled() }}"
    is_pull_request = "github.event_name == 'pull_request_target'"
    assert comment["if"] == f"${{{{ !cancelled() && {is_pull_request} }}}}"


@pytest.mark.slow
def test_a_merge_queue_is_verified_against_what_it_is_merged_into(board, tmp_path, monkeypatch):
    content = workflow(board, "verify")
    assert "merge_group" in content[True]  # YAML 1.1 reads `on` as a truth value
    checkouts = [
        step["with"]["ref"]
        for step in content["jobs"]["verify"]["steps"]
        if step.get("uses", "").startswith("actions/checkout")
    ]
    assert checkouts[0] == "${{ github.event.merge_group.base_sha }}"
    assert checkouts[1].startswith("${{ github.event.merge_group.head_sha || ")
    shutil.copytree(board, tmp_path / "submission")
    head = merge(tmp_path / "submission")
    for name in ("COMMIT", "MERGE_GROUP"):
        monkeypatch.setenv(name, head if name == "COMMIT" else COMMIT)
    run_step(board, "verify", tmp_path)
    assert "There is nothing to check." in (tmp_path / "comment.md").read_text()


def merge(folder):
    """Commit the folder as GitHub does: the merge of a board and a pull request. Returns the pull
    request's commit.
    """

    def git(*words):
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    git("init", "--quiet")
    git("add", "--all")
    tree = git("write-tree")
    board, head = (git("commit-tree", tree, "-m", message) for message in ("board", "submitted"))
    git("reset", "--quiet", git("commit-tree", tree, "-p", board, "-p", head, "-m", "merge"))
    return head


@pytest.mark.parametrize("parents", ["another", "none"])
def test_a_merge_of_another_commit_is_not_verified(board, tmp_path, monkeypatch, parents):
    shutil.copytree(board, tmp_path / "submission")
    head = merge(tmp_path / "submission")
    if parents == "none":
        subprocess.run(["git", "reset", "--quiet", head], cwd=tmp_path / "submission", check=True)
    monkeypatch.setenv("COMMIT", COMMIT if parents == "another" else head)
    assert run_step(board, "verify", tmp_path).returncode == 1
    comment = (tmp_path / "comment.md").read_text()
    assert "Not verified: GitHub merged another commit." in comment
    assert "Nothing is refused." not in comment


def test_who_verifies_strangers_files_can_write_nothing(board):
    """The job that reads a pull request has a token that reads; the one that writes never sees its
    files.
    """
    content = workflow(board, "verify")
    assert content["permissions"] == {}
    jobs = content["jobs"]
    assert jobs["verify"]["permissions"] == {"contents": "read"}
    checkouts = [
        step
        for step in jobs["verify"]["steps"]
        if step.get("uses", "").startswith("actions/checkout")
    ]
    assert [step["with"]["path"] for step in checkouts] == ["board", "submission"]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)
    assert checkouts[1]["with"]["fetch-depth"] == 2  # with the head, whose hash is compared
    assert not [step for step in jobs["comment"]["steps"] if "checkout" in step.get("uses", "")]
    for command in steps(board, "verify") + steps(board, "publish"):
        assert "${{" not in command  # what a stranger writes must not become part of a command


@pytest.mark.slow
def test_the_comment_says_what_is_submitted_and_what_is_refused(
    board, measured_folder, sound, tmp_path, monkeypatch
):
    shutil.copytree(
        measured_folder / "results" / "planted__other", board / "results" / "planted__other"
    )
    submitted = shutil.copytree(board, tmp_path / "submission")
    shutil.copytree(sound / "results", submitted / "results", dirs_exist_ok=True)
    head = merge(submitted)
    monkeypatch.setenv("COMMIT", head)
    done = run_step(board, "verify", tmp_path)
    assert done.returncode == 0, done.stderr
    comment = (tmp_path / "comment.md").read_text()
    assert comment.startswith(f"Of the commit {head}:\n")
    assert "`planted/one`" in comment
    assert "planted/other" not in comment
    assert "Nothing is refused." in comment

    monkeypatch.setenv("CHANGES", "--allow-changes")
    meta = submitted / "results" / "planted__other" / COMMIT / "model_meta.json"
    meta.write_text(meta.read_text().replace('"n_parameters": null', '"n_parameters": 7'))
    (submitted / "README.md").unlink()
    (submitted / ".github" / "workflows" / "verify.yml").write_text("jobs: {}")
    done = run_step(board, "verify", tmp_path)
    assert done.returncode == 1
    comment = (tmp_path / "comment.md").read_text()
    assert re.search(r"\| note +\|.*It replaces a file of the board\.", comment)
    assert "`.github/workflows/verify.yml`" in comment
    assert "A submission removes nothing." in comment
    assert "Refused, for " in comment


@pytest.mark.slow
def test_the_workflow_that_publishes_builds_the_site(board, sound):
    shutil.copytree(sound / "results", board / "results")
    done = run_step(board, "publish", board)
    assert done.returncode == 0, done.stderr
    assert "planted/one" in "".join(path.read_text() for path in (board / "site").rglob("*.html"))
