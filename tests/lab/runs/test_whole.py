"""Files that are whole."""

import os

from lab.runs.directory import RunDirectory


def test_a_file_is_on_disk_before_it_has_its_name_and_all_of_a_run_before_it_is_done(tmp_path, monkeypatch):
    """After a power failure a name may be there without the content, unless that was waited for."""
    synced, real = [], os.fsync

    def fsync(descriptor):
        status = os.fstat(descriptor)
        synced.append((status.st_ino, status.st_size, (tmp_path / "DONE").exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    directory = RunDirectory(tmp_path)
    directory.write_text("table.csv", "x\n1\n")
    assert (inode := (tmp_path / "table.csv").stat()).st_size == 4
    assert synced[-1] == (inode.st_ino, 4, False)
    directory.finish()
    assert (tmp_path.stat().st_ino, False) in [(number, done) for number, _, done in synced]
