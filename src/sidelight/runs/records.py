"""Results in a database as they are made, so that a study that is interrupted loses nothing.

A record is written once and never changed. Each carries a checksum, as the database itself does not notice a changed
byte within a value; a record that fails it is passed over, and its work is done again. Records of other versions of the
package are kept, for those versions.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sidelight.errors import InputError

Result = dict[str, Any]
APPLICATION = 0x51DE11  # distinguishes the database of a study from that of another program
SCHEMA = "create table records (version text not null, job text not null, result text not null, checksum int not null)"
# The codes of SQLite that mean damage: all statements here are fixed, so an error in one means a damaged schema.
DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_FORMAT}


def key_of(job: Mapping[str, Any]) -> str:
    """What distinguishes one job from another."""
    return json.dumps(job, sort_keys=True, ensure_ascii=False)


class Records:
    """The results of a study by job, in a database that only grows and that one study at a time writes to."""

    def __init__(self, path: Path, version: str) -> None:
        self.path, self._version = path, version
        self._results: dict[str, Result] = {}
        self.n_damaged = 0
        with _explained(path):
            self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
        try:
            with _explained(path):
                _take(self._database, path)
                self._load()
                # A change, so that the journal which a killed study may have left is used, and removed at the end.
                self._database.execute("pragma user_version = 1")
        except BaseException:
            self._database.close()
            raise

    def _load(self) -> None:
        columns = ", ".join(f"cast({name} as blob)" for name in ("version", "job", "result"))
        for *texts, checksum in self._database.execute(f"select {columns}, checksum from records order by rowid"):
            if checksum != _checksum(texts):
                self.n_damaged += 1
            elif texts[0].decode() == self._version:
                self._results[texts[1].decode()] = json.loads(texts[2])

    def __contains__(self, job: Mapping[str, Any]) -> bool:
        return key_of(job) in self._results

    def __getitem__(self, job: Mapping[str, Any]) -> Result:
        return self._results[key_of(job)]

    def add(self, job: Mapping[str, Any], result: Result) -> None:
        """Keep a result; it is on the disk when this returns."""
        key, content = key_of(job), json.dumps(result, ensure_ascii=False)
        checksum = _checksum([text.encode() for text in (self._version, key, content)])
        try:
            self._database.execute("insert into records values (?, ?, ?, ?)", (self._version, key, content, checksum))
        except sqlite3.Error as error:
            raise InputError(
                f"cannot keep a result in {str(self.path)!r}: {error}; what was kept before stays, "
                f"and the same command goes on from there"
            ) from None
        # As it would be read from the file, so that a study run in one go has what a resumed one has.
        self._results[key] = json.loads(content)

    def close(self) -> None:
        """Let another study write; a file without any record is removed."""
        with suppress(sqlite3.Error):  # on a full disk even this may fail, and all that was kept is there
            (is_empty,) = self._database.execute("select count(*) = 0 from records").fetchone()
            if is_empty:
                self.path.unlink(missing_ok=True)  # while it is locked
            self._database.close()


def _checksum(texts: list[bytes]) -> int:
    return zlib.crc32(b"\n".join(texts))  # no text has a line end: JSON escapes it


def _take(database: sqlite3.Connection, path: Path) -> None:
    """Lock the database for this study until it is closed, check it, and make the table if the file is new."""
    database.execute("pragma locking_mode = exclusive")  # the lock ends with the process, however that ends
    database.execute("begin exclusive")
    (application,) = database.execute("pragma application_id").fetchone()
    (is_new,) = database.execute("select count(*) = 0 from sqlite_schema").fetchone()
    if application == 0 and is_new:
        database.execute(f"pragma application_id = {APPLICATION}")
        database.execute(SCHEMA)
    elif application != APPLICATION:
        raise _holds_something_else(path)
    database.execute("commit")
    (found,) = database.execute("pragma integrity_check(1)").fetchone()
    if found != "ok":
        raise _is_damaged(path, found)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into messages that say what to do."""
    try:
        yield
    except UnicodeDecodeError as error:  # a message that quotes a damaged schema
        raise _is_damaged(path, str(error)) from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details of an extended code
        if code == sqlite3.SQLITE_BUSY:
            folder = str(path.parent)
            raise InputError(f"another study is running in {folder!r}; wait for it, or choose another folder") from None
        if code == sqlite3.SQLITE_NOTADB:
            raise _holds_something_else(path) from None
        if code in DAMAGE:
            raise _is_damaged(path, str(error)) from None
        raise InputError(f"cannot use {str(path)!r} for records: {error}") from None


def _holds_something_else(path: Path) -> InputError:
    return InputError(
        f"{str(path)!r} holds something else than the records of a study, or its beginning is damaged; "
        f"choose another folder, or move it away and all runs are done again"
    )


def _is_damaged(path: Path, how: str) -> InputError:
    detail = "".join(character for character in how.replace("\n", " ") if character.isprintable())
    return InputError(
        f"{str(path)!r} is damaged ({detail}); put back a copy of it, or move it away and all runs are done again"
    )
