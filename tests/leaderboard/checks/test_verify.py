"""A sound submission passes; every kind of tampering is refused, or listed, with its reason. None is executed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from harness_ext.evaluators.epsilon import EpsilonItems
from harness_ext.leaderboard.checks import submitted_files
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.leaderboard.verdict_tables import findings_table
from harness_ext.results.load import read_result
from harness_ext.store.item_files import DIGEST, commit_items, keep, prepare_items, read_items

PLACE = ("naturalistic", "default")
SAMPLES = "samples"


def forge(submission, change):
    """Change the items, compute all scores and the digest anew: what a forger does who knows how this works."""
    (entry,) = read_result(submission.file)
    measure = entry.measure
    items = change(read_items(submission.file, measure.items, PLACE, entry.digest))
    digest = keep(items)
    commit_items(prepare_items(submission.file, measure.items, {PLACE: digest}))
    scores = measure.flat_scores(items)
    submission.edit_entry(**scores, main_score=scores[measure.main], **{DIGEST: digest})


def with_table(items, **changes):
    """Epsilon items whose samples have other columns."""
    samples = items.samples
    return EpsilonItems(type(samples).of({**samples.values(), **changes}), items.compounds)


def only(findings, key="", message=""):
    """The one finding, which is about this key."""
    assert findings, "nothing was refused"
    assert any(key in finding.key and re.search(message, finding.message) for finding in findings), findings
    return findings


def test_a_sound_submission_passes_and_is_recomputed(submission):
    verification = verify(submission.folder)
    assert not [finding for finding in verification.findings if finding.refused]
    assert {cell.trust for cell in verification.cells} == {Trust.RECOMPUTED}
    assert len(verification.cells) == 3


@pytest.mark.parametrize("key", ["rank_share_NC", "auc_nc_vs_c_ci_low", "phrase_distance_mean", "n_pairs_C"])
def test_a_tampered_digit_in_a_score(submission, key):
    submission.edit_entry(**{key: submission.entry()[key] + (1 if key.startswith("n_") else 1e-8)})
    (finding,) = only(submission.refused(), key, "does not follow from the items")
    assert finding.file == submission.file
    assert float(finding.found) != float(finding.expected)


def test_a_tampered_main_score(submission):
    submission.edit_entry(main_score=submission.entry()["main_score"] + 1e-7)
    only(submission.refused(), "main_score", "does not follow")


def test_a_score_that_is_left_out(submission):
    def drop(content):
        del content["scores"]["naturalistic"][0]["rank_share_C"]

    submission.edit(drop)
    only(submission.refused(), "rank_share_C", "does not follow")


def test_a_score_beyond_its_range_and_a_key_that_no_task_has(submission):
    submission.edit_entry(rank_share_C=1.5)
    only(submission.refused(), "rank_share_C", "schema")
    submission.edit_entry(rank_share_C=0.5, my_own_score=1.0)
    only(submission.refused(), "", "schema")


def test_a_tampered_digit_in_an_item(submission):
    path = submission.items(SAMPLES)
    table = pyarrow.parquet.read_table(path)
    values = table["context_distance"].to_numpy().copy()
    values[3] += 1e-9
    place = table.schema.get_field_index("context_distance")
    pyarrow.parquet.write_table(table.set_column(place, table.schema.field(place), pyarrow.array(values)), path)
    only(submission.refused(), "items", "were changed after")


def test_items_of_another_model(submission, results):
    for path in results.glob(f"results/planted__other/1/{submission.file.stem}.*items.parquet"):
        shutil.copy(path, submission.of_model)
    only(submission.refused(), "items", "items of .* are missing")


def test_another_model_s_results_under_ones_own_name(submission, results):
    """The digest is that of the other's items: it is on the board already."""
    for path in results.glob(f"results/planted__other/1/{submission.file.stem}.*"):
        shutil.copy(path, submission.of_model)
    text = submission.file.read_text().replace("planted/other", "planted/one")
    submission.file.write_text(text)
    assert not submission.refused()
    findings = only(submission.refused(against=results), "items", "Another model has the same items")
    assert any("planted/other" in finding.expected for finding in findings)
    only(submission.refused(against=results), "", "removes nothing")


@pytest.mark.parametrize("kind", ["missing", "twice", "another name", "another order"])
def test_forged_rows_are_not_those_of_the_dataset(submission, kind):
    def change(items):
        rows = np.arange(len(items.samples))
        if kind == "missing":
            return items.restrict("compound", items.compounds.compound[1:])
        if kind == "twice":
            return EpsilonItems(items.samples[np.append(rows, rows[:40])], items.compounds)
        if kind == "another order":
            return EpsilonItems(items.samples[rows[::-1]], items.compounds)
        compound = np.where(rows == 0, items.compounds.compound[-1], items.samples.compound)
        return EpsilonItems(type(items.samples).of({**items.samples.values(), "compound": compound}), items.compounds)

    forge(submission, change)
    only(submission.refused(), SAMPLES, "missing or doubled|differ from the pinned dataset")


def test_forged_labels_of_the_compounds(submission):
    def change(items):
        compounds = items.compounds
        swapped = np.select([compounds.class_ == "C", compounds.class_ == "NC"], ["NC", "C"], compounds.class_)
        return EpsilonItems(items.samples, type(compounds).of({**compounds.values(), "class": swapped}))

    forge(submission, change)
    only(submission.refused(), "compounds.class", "differ from the pinned dataset")


@pytest.mark.parametrize("value", [-0.1, 2.5])
def test_forged_distances_that_cannot_be(submission, value):
    def change(items):
        distance = items.samples.context_distance.copy()
        distance[7] = value
        return with_table(items, context_distance=distance)

    forge(submission, change)
    (finding,) = [one for one in submission.refused() if "context_distance" in one.key]
    assert (finding.key, finding.found, finding.expected) == ("samples.context_distance, row 7", str(value), "0 to 2")


def test_forged_distances_of_one_pair_that_differ(submission):
    """The same two words are compared in several rows; a forger has to think of all of them."""

    def change(items):
        distance = items.samples.phrase_distance.copy()
        distance[5] *= 0.9
        return with_table(items, phrase_distance=distance)

    forge(submission, change)
    only(submission.refused(), "samples.phrase_distance", "another distance elsewhere")


def test_forged_distances_that_close_no_triangle(submission):
    """Every row of a side is forged alike, but the other two sides do not reach it."""

    def change(items):
        samples = items.samples
        one, other = samples.word[5], samples.synonym[5]
        distance, baseline = samples.phrase_distance.copy(), samples.baseline_phrase_distance.copy()
        for first, second, column in (
            (samples.word, samples.synonym, distance),
            (samples.synonym, samples.other_synonym, baseline),
        ):
            column[((first == one) & (second == other)) | ((first == other) & (second == one))] = 1e-4
        return with_table(items, phrase_distance=distance, baseline_phrase_distance=baseline)

    forge(submission, change)
    only(submission.refused(), "samples.phrase_distance", "No vectors are so far")


@pytest.mark.parametrize("name", ["other", "../../other", "<b>one</b>", "=cmd|' /C calc'!A0", "one\nother", "@here"])
def test_a_name_that_is_another_or_none(submission, name):
    submission.edit(lambda meta: meta.update(name=name), submission.of_model / "model_meta.json")
    only(submission.refused(), "name", "folder of another model|cannot be a model's name")


def test_html_as_the_name_of_a_folder_and_of_a_subset(submission):
    folder = submission.of_model.parent
    folder.rename(folder.with_name("<script>alert(1)<"))
    only(submission.refused(), "name", "folder of another model")


@pytest.mark.parametrize("revision", ["no_revision_available", "external", None])
def test_a_revision_that_nobody_knows(submission, revision):
    meta = submission.of_model / "model_meta.json"
    submission.edit(lambda content: content.update(revision=revision), meta)
    if revision:
        submission.of_model.rename(submission.of_model.with_name(revision))
    only(submission.refused(), "revision", "Nothing says which version")


def test_no_metadata_of_the_model(submission):
    (submission.of_model / "model_meta.json").unlink()
    only(submission.refused(), "", "metadata are missing")


def test_two_revisions_of_a_model(submission):
    shutil.copytree(submission.of_model, submission.of_model.with_name("2"))
    only(submission.refused(), "revision", "several revisions")


def test_results_on_other_files_than_the_pinned_ones(submission):
    submission.edit(lambda content: content.update(dataset_revision="2+unverified"))
    assert not submission.refused()  # another split or subset of the task may be of other files than these rows

    def sign(content):
        for entry in content["scores"]["naturalistic"]:
            entry["signature"] = entry["signature"].replace("compound_mini@2|", "compound_mini@2+unverified|")

    submission.edit(sign)
    only(submission.refused(), "dataset_revision", "files other than the pinned files")
    submission.edit(lambda content: content.update(dataset_revision="2"))
    only(submission.refused(), "signature.dataset", "of another result")
    submission.edit(lambda content: content.update(dataset_revision="1"))
    only(submission.refused(), "dataset_revision", "another version of the dataset")


def test_another_mteb(submission):
    def of(version):
        def change(content):
            content["mteb_version"] = version
            for entry in content["scores"]["naturalistic"]:
                entry["signature"] = re.sub(r"\|mteb:[^|]*", f"|mteb:{version}", entry["signature"])
                entry["mteb_version"] = version

        return change

    submission.edit(of("2.0.1"))
    verification = verify(submission.folder)
    assert not verification.is_refused
    assert [one.found for one in verification.findings if one.key == "mteb_version"] == ["2.0.1"]
    submission.edit(of("1.38.0"))
    only(submission.refused(), "mteb_version", "cannot be compared")
    submission.edit(lambda content: content.update(mteb_version="=1+1"))
    only(submission.refused(), "mteb_version", "Nothing says which mteb")
    submission.edit(of("2.26.0"))
    submission.edit_entry(mteb_version="2.26.1")
    only(submission.refused(), "mteb_version", "names another version")


def test_a_signature_of_something_else(submission):
    submission.edit_entry(signature=submission.entry()["signature"].replace("epsilon-2", "epsilon-0"))
    only(submission.refused(), "signature.measure", "of another result")


def test_splits_and_subsets_that_are_missing_or_unknown(submission):
    submission.edit_entry(hf_subset="<img src=x>")
    only(submission.refused(), "scores.naturalistic", "Subsets are unknown")
    submission.edit_entry(hf_subset="default")
    submission.edit(lambda content: content["scores"].update({"../up": content["scores"].pop("naturalistic")}))
    only(submission.refused(), "scores", "no split")


def test_a_split_that_is_made_up(submission):
    """It would be a column of its own, in which its maker is the first."""
    text = submission.file.read_text().replace("naturalistic", "made_up")
    submission.file.write_text(text)
    for path in submission.of_model.glob(f"{submission.file.stem}.*items.parquet"):
        rows = pyarrow.parquet.read_table(path)
        split = pyarrow.array(["made_up"] * len(rows)).dictionary_encode()
        metadata = {key: value.replace(b"naturalistic", b"made_up") for key, value in rows.schema.metadata.items()}
        rows = rows.set_column(rows.schema.get_field_index("split"), "split", split).replace_schema_metadata(metadata)
        pyarrow.parquet.write_table(rows, path)
    only(submission.refused(), "scores", "has no split 'made_up'")


@pytest.mark.parametrize("cut", ["json", "parquet", "meta"])
def test_a_truncated_file(submission, cut):
    path = {
        "json": submission.file,
        "parquet": submission.items(SAMPLES),
        "meta": submission.of_model / "model_meta.json",
    }[cut]
    path.write_bytes(path.read_bytes()[:-40])
    findings = only(submission.refused(), "", "cannot be read")
    assert path in {finding.file for finding in findings}


def test_a_key_that_is_there_twice(submission):
    """One program would take the first, another the last."""
    submission.file.write_text(submission.file.read_text().replace('"scores": {', '"scores": {}, "scores": {', 1))
    only(submission.refused(), "", "cannot be read")


@pytest.mark.slow
def test_parquet_bombs_are_told_by_their_footers(submission, monkeypatch):
    """Kilobytes that unpack to a gigabyte: of equal rows, and of one long text."""
    path = submission.items(SAMPLES)
    sound = pyarrow.parquet.read_table(path)

    plainly = pyarrow.parquet.ParquetFile.read

    def read(self, *args, **kwargs):
        assert self.metadata.num_rows < 2_000_000, "the pages of a bomb were read"
        assert self.metadata.row_group(0).total_byte_size < 2**29, "the pages of a bomb were read"
        return plainly(self, *args, **kwargs)

    pyarrow.parquet.write_table(sound.take(np.zeros(2_100_000, dtype=int)), path, compression="zstd")
    assert path.stat().st_size < 2**20
    with monkeypatch.context() as patch:
        patch.setattr(pyarrow.parquet.ParquetFile, "read", read)
        only(submission.refused(), "", "too large")

    texts = sound.slice(0, 1).set_column(
        sound.schema.get_field_index("word"), "word", pyarrow.array(["a" * (600 * 2**20)])
    )
    pyarrow.parquet.write_table(texts, path, compression="zstd", use_dictionary=False)
    assert path.stat().st_size < 2**20
    with monkeypatch.context() as patch:
        patch.setattr(pyarrow.parquet.ParquetFile, "read", read)
        only(submission.refused(), "", "too large")


def varint(number, length=None):
    """A number as a footer has it (Thrift's compact protocol), padded to a length."""
    rest, found = number << 1, bytearray()
    while rest > 127 or (length and len(found) < length - 1):
        found.append(rest & 127 | 128)
        rest >>= 7
    return bytes([*found, rest])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is limited on Linux alone")
def test_a_footer_that_lies_meets_the_limit_of_memory(submission):
    """300 MB in ten kilobytes, of which the footer says that they are 200 bytes."""
    path = submission.items(SAMPLES)
    sound = pyarrow.parquet.read_table(path)
    place = sound.schema.get_field_index("word")
    bomb = sound.slice(0, 1).set_column(place, "word", pyarrow.array(["a" * (300 * 2**20)]))
    pyarrow.parquet.write_table(bomb, path, compression="zstd", use_dictionary=False, write_statistics=False)
    row_group = pyarrow.parquet.read_metadata(path).row_group(0)
    whole = path.read_bytes()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    footer = whole[start:-8]
    for size in (row_group.column(place).total_uncompressed_size, row_group.total_byte_size):
        assert footer.count(varint(size)) == 1
        footer = footer.replace(varint(size), varint(100, len(varint(size))))
    path.write_bytes(whole[:start] + footer + whole[-8:])
    assert pyarrow.parquet.read_metadata(path).row_group(0).total_byte_size == 100

    only(submission.refused(), "", "too long")  # where there is memory for it
    program = """
import sys
from pathlib import Path
import harness_ext.tasks
from harness_ext.evaluators.epsilon import EpsilonSamples
from harness_ext.leaderboard.checks import submitted_files
submitted_files.MAX_MEMORY = 150 * 2**20
submitted_files.limit_memory()
print(submitted_files.items_problem(Path(sys.argv[1]), EpsilonSamples))
"""
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "It cannot be read. Found:" in done.stdout
    assert re.search("malloc|alloc|memory", done.stdout)


def test_a_long_text_that_would_be_repeated_in_memory(submission):
    """NumPy gives every row the room of the longest text: 4 bytes a letter and row."""
    path = submission.items(SAMPLES)
    sound = pyarrow.parquet.read_table(path)
    words = pyarrow.array(["a" * 100_000, *sound["word"].to_pylist()[1:]]).dictionary_encode()
    place = sound.schema.get_field_index("word")
    pyarrow.parquet.write_table(sound.set_column(place, "word", words), path)
    only(submission.refused(), "", "too long")


@pytest.mark.parametrize("column", [pyarrow.array([[1]]), pyarrow.array([{"a": 1}]), pyarrow.array([b"\x80\x04."])])
def test_columns_of_other_kinds_are_not_read(submission, column):
    """Lists, structures, bytes that could be a pickle: items have none."""
    path = submission.items(SAMPLES)
    sound = pyarrow.parquet.read_table(path).slice(0, 1)
    place = sound.schema.get_field_index("word")
    pyarrow.parquet.write_table(sound.set_column(place, "word", column), path)
    only(submission.refused(), "", "columns are wrong")


def test_a_huge_json_is_not_opened(submission, monkeypatch):
    with submission.file.open("wb") as file:
        file.truncate(3 * 2**30)
    findings = only(submission.refused(), "", "too large")
    assert str(3 * 2**30) in findings[0].found


def test_deep_json(submission):
    submission.file.write_text('{"a":' * 50_000)
    only(submission.refused(), "", "cannot be read")


@pytest.mark.parametrize("what", ["file", "folder", "results", "pipe"])
def test_links_and_pipes_are_not_followed(submission, tmp_path, what):
    secret = tmp_path / "secret.json"
    secret.write_text("{")
    if what == "file":
        submission.file.unlink()
        submission.file.symlink_to(secret)
    elif what == "folder":
        (submission.of_model.parent / "2").symlink_to(submission.of_model)
    elif what == "results":
        (submission.folder / "results").rename(tmp_path / "elsewhere")
        (submission.folder / "results").symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(submission.of_model / "TreeReconstruction.json")
    only(submission.refused(), "", "Only plain files")


def test_files_that_no_submission_has(submission, tmp_path):
    (submission.of_model / "setup.py").write_text("raise SystemExit('executed')")
    (submission.of_model / "pickle.pkl").write_bytes(b"cos\nsystem\n(S'touch executed'\ntR.")
    with zipfile.ZipFile(submission.of_model / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("zeros", bytes(10_000_000))
    deep = submission.of_model.joinpath(*["a"] * 30)
    deep.mkdir(parents=True)
    found = {finding.file.name for finding in submission.refused()}
    assert {"setup.py", "pickle.pkl", "bomb.zip", "a"} <= found
    assert not Path("executed").exists()


def test_names_with_two_dots_cannot_leave_the_folder(submission, tmp_path):
    """A file's name holds no slash, but the metadata's can: `..` is no name, and no path is made of one."""
    up = submission.folder / "results" / "..__..__etc" / "1"
    shutil.copytree(submission.of_model, up)
    submission.edit(lambda meta: meta.update(name="../../etc"), up / "model_meta.json")
    only(submission.refused(), "name", "cannot be a model's name")


def test_a_name_that_is_no_text_can_be_printed(submission):
    Path(os.fsdecode(os.fsencode(submission.of_model) + b"/\xff\x1b[2J.json")).touch()
    findings = only(submission.refused(), "", "only results of this")
    for quoted in (False, True):
        text = findings_table(findings, submission.folder, quoted=quoted).markdown()
        assert text.encode()
        assert "\x1b" not in text


def test_ten_thousand_files(submission):
    for number in range(10_000):
        (submission.of_model / f"{number}.json").touch()
    findings = only(submission.refused(), "", "rest was not checked")
    assert len(findings) <= submitted_files.MAX_FILES + 1


def test_only_results_can_be_submitted_to_a_board(submission, tmp_path):
    board = tmp_path / "board"
    (board / "reruns").mkdir(parents=True)
    (board / "README.md").write_text("The board.")
    shutil.copytree(board, submission.folder, dirs_exist_ok=True)
    assert not submission.refused(against=board)
    (submission.folder / "README.md").write_text("My board.")
    (submission.folder / "reruns" / "mine.json").write_text("{}")
    (submission.folder / ".github" / "workflows").mkdir(parents=True)
    (submission.folder / ".github" / "workflows" / "evil.yml").write_text("run: curl")
    findings = submission.refused(against=board)
    assert {finding.file.name for finding in findings} == {"README.md", "mine.json", "evil.yml"}
    (submission.folder / "README.md").unlink()
    assert "README.md" in {finding.file.name for finding in only(submission.refused(against=board), "", "removes")}


def test_what_is_on_the_board_already_is_not_checked_again(submission, results):
    shutil.copytree(results, submission.folder, dirs_exist_ok=True)
    (finding,) = submission.refused(against=results)
    assert "nothing to check" in finding.message


@pytest.mark.slow
def test_the_command_lists_and_ends_with_1(submission, run):
    submission.edit_entry(rank_share_NC=0.25)
    done = run("harness-ext", "verify", str(submission.folder), "--format", "json", check=False)
    assert done.returncode == 1
    (refusal,) = [row for row in json.loads(done.stdout) if row.get("") == "refused"]
    assert refusal["key"] == "rank_share_NC"
    assert refusal["found"] == "0.25"
    assert Path(refusal["file"]) == submission.file.relative_to(submission.folder)


@pytest.mark.slow
def test_the_other_exit_statuses(submission, run, tmp_path):
    done = run("harness-ext", "verify", str(submission.folder))
    assert "Nothing is wrong with it." in done.stdout
    assert done.stdout.count("recomputed") == 3
    assert run("harness-ext", "verify", str(tmp_path / "none"), check=False).returncode == 1
    assert run("harness-ext", "verify", "--rerun", str(submission.folder), check=False).returncode == 2


def test_a_comment_formats_links_and_calls_nothing(submission, run):
    meta = submission.of_model / "model_meta.json"
    submission.edit(lambda content: content.update(reference="<img src=x> @everyone `x` | y"), meta)
    done = run("harness-ext", "verify", str(submission.folder), "--format", "markdown", check=False)
    assert done.returncode == 1
    outside = re.sub(r"`[^`\n]*`", "", done.stdout)
    assert "<img" in done.stdout
    assert "<" not in outside
    assert "@" not in outside
