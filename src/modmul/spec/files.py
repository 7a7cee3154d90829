"""Files of keys and values: a flat TOML file, a job that comes with the package, or the JSON of a
build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modmul import inputs
from modmul.errors import SpecError, quoted
from modmul.parameters import by_option

_JOBS = Path(__file__).parent / "jobs"


def job_names() -> list[str]:
    """The names of the jobs: specifications that come with the package."""
    return sorted(file.stem for file in _JOBS.glob("*.toml"))


def is_job(path: Path) -> bool:
    return str(path).lower() in job_names()


def keys_of(path: Path) -> dict[str, Any]:
    """The values of a flat TOML file, of a job, or of the description (JSON) that `build` writes,
    by the names of their options, unchecked; SpecError if it is none."""
    allowed = "a job of `modmul list jobs`, a TOML file of keys and values, or the JSON of a build"
    try:
        text = inputs.read(_JOBS / f"{path}.toml".lower() if is_job(path) else path)
    except ValueError as error:
        message = f"{path}: cannot be read: {error}; must be {allowed}"
        raise SpecError(None, str(path), allowed, message) from None
    kind = "JSON" if is_json(path) else "TOML"
    try:
        keys = _of_build(text) if kind == "JSON" else inputs.toml(text)
    except ValueError as error:
        raise SpecError(None, str(path), allowed, f"{path}: not {kind}: {error}") from None
    for key, value in keys.items():
        if not isinstance(value, (str, int)):
            expected = "a string, a whole number, true or false"
            kind = "a table" if isinstance(value, dict) else quoted(value)
            message = f"{path}: {key} = {kind}: must be {expected}; a spec is flat"
            raise SpecError(key, quoted(value), expected, message)
    try:
        return by_option(keys)
    except SpecError as error:
        raise SpecError(error.key, error.value, error.allowed, f"{path}: {error.message}") from None


def is_spec(path: Path) -> bool:
    """Whether this may be a specification: the name of a job, or of a TOML or JSON file."""
    return is_job(path) or path.suffix.lower() in (".toml", ".json")


def is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _of_build(text: str) -> dict[str, Any]:
    """The keys that a description has values for; ValueError if it is none."""
    record = inputs.from_json(text)
    spec = record.get("spec") if isinstance(record, dict) else None
    if not isinstance(spec, dict):
        raise ValueError("it has no object `spec`, as the JSON of a build has")
    return {key: value for key, value in spec.items() if value is not None}
