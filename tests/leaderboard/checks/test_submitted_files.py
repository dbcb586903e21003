"""Damaged, huge, linked and foreign files of a submission are refused, and none is executed."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from harness_ext.leaderboard.checks import parquet_program, parquet_reader
from harness_ext.leaderboard.checks.finding import Finding
from harness_ext.leaderboard.checks.helper_process import HelperProcess
from harness_ext.leaderboard.checks.parquet_reader import READER
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.leaderboard.verification_tables import cells_table, findings_table
from harness_ext.store.item_files import MAX_ITEMS
from tests.leaderboard.conftest import SAMPLES, only
from tests.leaderboard.small_board import board_of, edit

WORDS = f"{SAMPLES}.word"


def lists(values, kind):
    """A column of lists, as files of items have it."""
    return pyarrow.array(values, pyarrow.list_(pyarrow.field("element", kind)))


def with_words(submission, words, kind):
    """Other lists in the place of words, the same for all items."""
    table = pyarrow.parquet.read_table(submission.items)
    column = lists([words] * len(table), kind)
    changed = table.set_column(table.schema.names.index(WORDS), WORDS, column)
    pyarrow.parquet.write_table(changed, submission.items, compression="zstd")


def varint(number, width):
    """A number as Thrift's compact protocol writes it, padded to so many bytes."""
    zigzag, parts = 2 * number, []
    for place in range(width):
        parts.append((zigzag >> 7 * place) & 0x7F | (0x80 if place < width - 1 else 0))
    return bytes(parts)


def write_bomb(path, columns, times=1, **options):
    """Write the first items so many times as row groups whose footer claims 100 bytes each. Returns
    the bytes unpacked.

    Args:
        path: A sound file of items.
        columns: Column -> its values, of a few columns; all others have those of the first items.
        times: How often.
        options: Of `pyarrow.parquet.ParquetWriter`.
    """
    row = pyarrow.parquet.read_table(path).slice(0, 1)
    for name, values in columns.items():
        place = row.schema.names.index(f"{SAMPLES}.{name}")
        joined = pyarrow.array(values, row.schema.types[place].value_type)
        column = pyarrow.ListArray.from_arrays(
            [0, len(joined)], joined, type=row.schema.types[place]
        )
        row = row.set_column(place, row.schema.field(place), column)
    with pyarrow.parquet.ParquetWriter(path, row.schema, compression="zstd", **options) as writer:
        for _ in range(times):
            writer.write_table(row)
    metadata, content = pyarrow.parquet.read_metadata(path), path.read_bytes()
    sizes = [
        metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)
    ]
    for size in {*sizes}:
        width = next(width for width in range(1, 10) if 2 * size < 128**width)
        content = content.replace(varint(size, width), varint(100, width))
    path.write_bytes(content)
    metadata = pyarrow.parquet.read_metadata(path)
    assert {
        metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)
    } == {100}
    return sum(sizes)


TEXT = "a" * 1000
DISTINCT = [f"{number:06d}{TEXT[6:]}" for number in range(300_000)]
PLAIN = {"use_dictionary": False}
ONE_PAGE = {"data_page_size": 2**30, "write_batch_size": 10**9}
BOMBS = {
    "texts": lambda: (
        {name: pyarrow.repeat(TEXT, 10_000) for name in ("word", "compound", "synonym")},
        30,
        PLAIN,
    ),
    "numbers": lambda: ({"context_distance": pyarrow.repeat(0.5, 1_000_000)}, 72, PLAIN),
    "a page of 300 MB": lambda: ({"word": pyarrow.repeat(TEXT, 300_000)}, 1, PLAIN | ONE_PAGE),
    "a dictionary of 300 MB": lambda: (
        {"word": DISTINCT},
        1,
        ONE_PAGE | {"dictionary_pagesize_limit": 2**30},
    ),
    "one text of 300 MB": lambda: ({"word": [300_000 * TEXT]}, 1, PLAIN | ONE_PAGE),
}
PEAK = """
import os, re, sys
from pathlib import Path
from harness_ext.leaderboard.checks import parquet_reader
from harness_ext.leaderboard.checks.verify import verify

def peak(process):
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1]) // 1024

# one processor, so that one process checks and one reads
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
found = [finding for finding in verify(Path(sys.argv[1])).findings if finding.refused]
process = parquet_reader.READER.helper.process
print(peak("self") + (peak(process.pid) if process else 640), *(finding.message for finding in found), sep="\\n")
"""
"""Prints the peak of what both processes had in memory; of one that died, its limit."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOMBS)
def test_parquet_bombs_are_read_in_little_memory(submission, run, kind):
    """A few kilobytes that unpack to hundreds of megabytes, whatever their footers say; both
    processes together.
    """
    path = submission.items
    columns, times, options = BOMBS[kind]()
    assert write_bomb(path, columns, times, **options) > 250e6
    peak, *messages = run("python", "-c", PEAK, str(submission.folder)).stdout.splitlines()
    assert len(messages) == 1, messages
    assert "too large to be read" in messages[0] or "too long" in messages[0]
    assert int(peak) <= (400 if times > 1 else 640), messages


@pytest.mark.parametrize("codec", ["brotli", "snappy", "gzip", "lz4", "none"])
def test_items_are_packed_as_they_are_written(submission, codec):
    """A page of brotli can unpack to 100 MB of which 4 bytes are used."""
    table = pyarrow.parquet.read_table(submission.items)
    pyarrow.parquet.write_table(table, submission.items, compression=codec)
    only(submission.refused(), "", "packed in another way")
    columns = [f"{name}.list.element" for name in table.schema.names[1:]]
    one_other = {**dict.fromkeys(columns, "zstd"), "items": "zstd", columns[-1]: codec}
    pyarrow.parquet.write_table(table, submission.items, compression=one_other)
    only(submission.refused(), "", "packed in another way")


@pytest.mark.slow
def test_a_reader_that_takes_long_is_ended(submission, monkeypatch):
    """A process that computes for ever: its processor seconds end it, and it is named."""
    helper = HelperProcess("-c", SLOW)
    monkeypatch.setattr(READER, "helper", helper)
    (finding,) = only(submission.refused(), "", "died")
    assert "2 seconds of a processor" in finding.expected


SLOW = """
import sys
from harness_ext.leaderboard.checks.parquet_program import _limit_time
for line in sys.stdin:
    _limit_time()
    while True:
        pass
"""


def test_after_slow_files_the_rest_is_not_read(submission, monkeypatch):
    """The time is that of all files together, and counted anew for the next folder."""
    READER.start()
    monkeypatch.setattr(READER, "_seconds", 1e6)
    monkeypatch.setattr(READER, "start", lambda: None)
    only(submission.refused(), "", "the files before took too long")
    monkeypatch.undo()
    assert not submission.refused()


@pytest.mark.slow
def test_items_of_all_files_are_counted_together(sound, monkeypatch):
    """Each alone would be small enough; one that is refused does not count against the next."""
    assert not [finding for finding in verify(sound).findings if finding.refused]
    first, *others = sorted(sound.rglob("*.items.parquet"))
    monkeypatch.setattr(parquet_reader, "BYTES_A_BYTE", 0)
    sizes = []
    for path in (first, *others):
        columns = {field.name: str(field.type) for field in pyarrow.parquet.read_schema(path)}
        read = parquet_program.read(path, columns, MAX_ITEMS)
        assert read.problem is None
        sizes.append(read.n_bytes)
    monkeypatch.setattr(parquet_reader, "FIRST_BYTES", sum(sizes) - 1)
    (finding,) = [finding for finding in verify(sound).findings if finding.refused]
    assert "too large, with the files before" in finding.message
    assert finding.found == f"{sum(sizes)} bytes of this file and those before"
    monkeypatch.setattr(parquet_reader, "FIRST_BYTES", sum(sizes))
    assert not [finding for finding in verify(sound).findings if finding.refused]


def test_texts_of_a_row_are_counted_together(submission):
    """Each column alone would be small enough."""
    table = pyarrow.parquet.read_table(submission.items)
    texts = pyarrow.list_(pyarrow.field("element", pyarrow.string()))
    names = [name for name in table.schema.names if table.schema.field(name).type == texts]
    assert len(names) > 2
    n_rows = parquet_program.MAX_UNPACKED_BYTES // (len(names) * parquet_program.BYTES_A_TEXT)
    for name in names:
        column = lists([["a"] * n_rows] * len(table), pyarrow.string())
        table = table.set_column(table.schema.names.index(name), name, column)
    pyarrow.parquet.write_table(table, submission.items, compression="zstd")
    only(submission.refused(), "", "too large to be read")


@pytest.mark.slow
def test_a_result_with_thousands_of_splits(submission):
    """1 MB of them would take minutes to list."""

    def add(content):
        (records,) = content["scores"].values()
        record = {key: records[0][key] for key in ("hf_subset", "main_score", "languages")}
        content["scores"] |= {f"split-{number}": [record] for number in range(5_000)}

    edit(submission.file, add)
    (finding,) = only(submission.refused(), "scores", "not so many splits")
    assert finding.found == "5001 scores"
    _, (problem,) = board_of(submission.folder)
    assert "not so many splits" in problem


@pytest.mark.slow
def test_a_reader_that_died_is_named_and_the_next_file_is_read(submission):
    assert not submission.refused()
    READER.helper.process.kill()
    (finding,) = submission.refused()
    assert "the process that read it died" in finding.message
    assert not submission.refused()


def test_a_long_text_that_would_be_repeated_in_memory(submission):
    """NumPy gives every row the room of the longest text: 4 bytes a letter and row."""
    with_words(submission, ["a" * 100_000, *["b"] * 2159], pyarrow.string())
    only(submission.refused(), "", "too long")


@pytest.mark.parametrize(
    ("words", "kind"),
    [([["a"]], pyarrow.list_(pyarrow.string())), ([b"\x80\x04."], pyarrow.binary())],
)
def test_columns_of_other_kinds_are_not_read(submission, words, kind):
    """Lists of lists, bytes that could be a pickle: items have none."""
    with_words(submission, words, kind)
    only(submission.refused(), "", "columns are wrong")


def test_many_rows_of_nothing_are_not_read(submission):
    """145 KB of them took two minutes."""
    table = pyarrow.parquet.read_table(submission.items)
    nothing = pyarrow.table(
        {
            name: pyarrow.array([[]] * 2000, kind) if str(kind).startswith("list") else [""] * 2000
            for name, kind in zip(table.schema.names, table.schema.types, strict=True)
        }
    )
    pyarrow.parquet.write_table(
        pyarrow.concat_tables([table, nothing.cast(table.schema)]),
        submission.items,
        compression="zstd",
    )
    (finding,) = only(submission.refused(), "", "too large to be read")
    assert finding.found == "more than 1000 rows"


def test_a_folder_is_read_from_wherever_the_process_stands(sound, monkeypatch):
    """The process that reads files starts once, in another folder."""
    findings = verify(sound).findings
    assert not any(finding.refused for finding in findings)
    monkeypatch.chdir(sound.parent)
    again = verify(Path(sound.name)).findings
    assert [finding.message for finding in again] == [finding.message for finding in findings]


def test_items_without_a_result_are_refused(submission):
    submission.file.unlink()
    (finding,) = only(submission.refused(), "", "Nothing says which scores")
    assert finding.file == submission.items


@pytest.mark.parametrize("size", [2**21 + 1, 3 * 2**30])
def test_a_huge_json_is_not_opened(submission, size):
    with submission.file.open("wb") as file:
        file.truncate(size)
    findings = only(submission.refused(), "", "too large")
    assert str(size) in findings[0].found


@pytest.mark.parametrize("what", ["result", "items", "metadata"])
def test_pointers_of_git_lfs_are_named(submission, what):
    """As in a clone without git-lfs."""
    path = {"result": submission.file, "items": submission.items, "metadata": submission.meta}[what]
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    assert {finding.file for finding in only(submission.refused(), "", "git lfs pull")} == {path}


@pytest.mark.parametrize("what", ["folder", "results", "pipe"])
def test_links_and_pipes_are_not_followed(submission, tmp_path, what):
    if what == "folder":
        (submission.of_model.parent / "2").symlink_to(submission.of_model)
    elif what == "results":
        (submission.folder / "results").rename(tmp_path / "elsewhere")
        (submission.folder / "results").symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(submission.of_model / "TreeReconstruction.json")
    only(submission.refused(), "", "Only plain files")


def test_a_name_that_is_no_text_can_be_printed_and_reasons_stand_where_the_reader_is(submission):
    Path(os.fsdecode(os.fsencode(submission.of_model) + b"/\xff\x1b[2J.json")).touch()
    findings = only(submission.refused(), "", "only results of this")
    for quoted in (False, True):
        table = findings_table(
            [replace(findings[0], refused=False), *findings], submission.folder, quoted=quoted
        )
        assert table.markdown().encode()
        assert "\x1b" not in table.markdown()
        assert [row[0] for row in table.rows] == (
            ["refused", "note"] if quoted else ["note", "refused"]
        )


def test_notes_that_say_the_same_of_many_files_share_a_row(submission):
    notes = [
        Finding(submission.folder / name, "scores", "1", "2", "It is so.", refused=False)
        for name in ("one", "other")
    ]
    different = replace(notes[0], message="It is not.")
    rows = findings_table([*notes, different], submission.folder).rows
    assert rows == (
        ("2 notes", "2 files", "", "", "", "It is so."),
        ("note", "one", "scores", "1", "2", "It is not."),
    )
    assert len(findings_table([*notes, different], submission.folder, quoted=True).rows) == 3


@pytest.mark.slow
def test_what_a_comment_has_no_room_for_is_counted(submission):
    """GitHub takes 65,536 characters: of a thousand findings, with keys and paths of any length, or
    of many cells.
    """
    file = submission.folder / "/".join(["|" * 200] * 20)
    notes = [
        Finding(file, "|" * 5000, "1", "2", f"{place} is wrong.", refused=False)
        for place in range(1000)
    ]
    refused = Finding(submission.file, "", "1", "2", "It is wrong.")
    findings = findings_table([*notes, refused], submission.folder, quoted=True)
    cells = cells_table(verify(submission.folder).cells * 1000, quoted=True)
    assert findings.rows[0][0] == "refused"
    assert f"And {1001 - len(findings.rows)} more, too many for a comment" in findings.markdown()
    assert findings.rows[1][2] == f"`{'|' * 500}…`"
    assert 40_000 < len(findings.markdown()) + len(cells.markdown()) < 65_000
    assert len(findings_table([*notes, refused], submission.folder).rows) == 1001


@pytest.mark.parametrize("place", ["results/evil", ".github/workflows", "results/planted__one/x/y"])
def test_submodules_are_seen(submission, tmp_path, place):
    """In a checkout each is an empty folder; `.gitmodules` need not come with it."""
    board = tmp_path / "board"
    (board / "reruns").mkdir(parents=True)
    (submission.folder / "reruns").mkdir()
    assert not submission.refused(against=board)
    (submission.folder / place).mkdir(parents=True)
    assert [one.file for one in submission.refused(against=board)] == [submission.folder / place]


@pytest.mark.parametrize(
    "place",
    [
        ".x.lock",
        "results/.aux.lock",
        ".github/workflows/.a.yml.lock",
        "results/aux/1/.CaptionSwap.json.lock",
        "results/aux/buy my model/.CaptionSwap.json.lock",
    ],
)
def test_only_locks_of_results_are_passed_over(submission, tmp_path, place):
    """An empty file of any name would be merged into the board unseen."""
    board = tmp_path / "board"
    board.mkdir()
    submission.file.with_name(f".{submission.file.name}.lock").touch()
    assert not submission.refused(against=board)
    (submission.folder / place).parent.mkdir(parents=True, exist_ok=True)
    (submission.folder / place).touch()
    assert [one.file for one in submission.refused(against=board)] == [submission.folder / place]


@pytest.mark.parametrize("place", ["results", "results/planted__one", "models/tiny", "docs"])
def test_no_folder_called_git_hides_files(submission, tmp_path, place):
    """Only the top of a checkout has one of git's own."""
    board = tmp_path / "board"
    board.mkdir()
    (submission.folder / ".git").mkdir()
    (submission.folder / ".git" / "config").write_text("")
    hidden = submission.folder / place / ".git" / "modules.json"
    hidden.parent.mkdir(parents=True)
    hidden.write_text("[]")
    assert [one.file for one in submission.refused(against=board)] == [hidden]


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
    assert "README.md" in {
        finding.file.name for finding in only(submission.refused(against=board), "", "removes")
    }


def test_no_text_of_a_pull_request_is_as_long_as_a_book(submission, tmp_path):
    """It would be merged into the board unseen."""
    board = tmp_path / "board"
    board.mkdir()
    text = submission.folder / "PULL_REQUEST.md"
    text.write_text("x" * 65_536)
    assert not submission.refused(against=board)
    text.write_text("x" * 65_537)
    assert [one.file for one in submission.refused(against=board)] == [text]
