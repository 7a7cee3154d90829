"""A scheduler behind TLS, with certificates made here; what is said about one without."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from modmul.cli import main
from modmul.exploration import executors
from modmul.exploration.executors import open_to_others

PATIENCE = 60  # seconds for a scheduler to start
SPACE = "architecture = 'interleaved'\nwidth = 6\ninterface = 'core'\nseeds = 1\nproducts = 20\n"


def run(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "modmul", "explore", *words],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=240,
    )


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Dask's configuration: a certificate for everybody, signed by an authority of our own."""
    folder = tmp_path_factory.mktemp("certificates")
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make certificates with")
    for line in (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=ca",
        "req -newkey rsa:2048 -nodes -keyout one.key -out one.csr -subj /CN=one",
        "x509 -req -in one.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out one.pem",
    ):
        subprocess.run(["openssl", *line.split()], cwd=folder, check=True, capture_output=True)
    prefix = "DASK_DISTRIBUTED__COMM__"
    variables = {f"{prefix}TLS__CA_FILE": str(folder / "ca.pem")}
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        variables[f"{prefix}TLS__{role}__CERT"] = str(folder / "one.pem")
        variables[f"{prefix}TLS__{role}__KEY"] = str(folder / "one.key")
    return variables | {f"{prefix}REQUIRE_ENCRYPTION": "true"}


@pytest.fixture(scope="module")
def scheduler(settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with one worker."""
    folder = tmp_path_factory.mktemp("cluster")
    contact = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    commands = (
        [
            *dask,
            "scheduler",
            "--protocol",
            "tls",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(contact),
        ],
        [
            *dask,
            "worker",
            "--scheduler-file",
            str(contact),
            "--nthreads",
            "1",
            "--no-dashboard",
            "--local-directory",
            str(folder),
        ],
    )
    with (folder / "log").open("w") as log:
        started = []
        for command in commands:
            started.append(
                subprocess.Popen(command, env=os.environ | settings, stderr=log, stdout=log)
            )
            until = time.monotonic() + PATIENCE
            while not (contact.exists() and contact.read_text()) and time.monotonic() < until:
                time.sleep(0.1)
        address: str = json.loads(contact.read_text())["address"]
        yield address
        for process in reversed(started):
            process.terminate()
            process.wait(30)


@pytest.mark.long
def test_a_scheduler_behind_tls(scheduler: str, settings: dict[str, str], tmp_path: Path) -> None:
    """The certificates of dask's configuration are used; nobody comes in without."""
    assert scheduler.startswith("tls://")
    space = tmp_path / "space.toml"
    space.write_text(SPACE)
    result = run(str(space), "-o", str(tmp_path / "found"), "--scheduler", scheduler, **settings)
    assert result.returncode == 0, result.stderr
    assert "1 done" in result.stdout and "workers of tls://" in result.stdout
    assert "encrypted" not in result.stderr
    for address, given, message in (
        (scheduler, {}, "distributed.comm.tls ca-file"),
        (scheduler.replace("tls", "tcp"), {}, "does not answer"),
        (scheduler.replace("tls", "tcp"), settings, "requires encryption"),
        (scheduler, settings | {"DASK_DISTRIBUTED__COMM__TLS__CA_FILE": "none.pem"}, "No such"),
    ):
        refused = run(str(space), "-o", str(tmp_path / "x"), "--scheduler", address, **given)
        assert refused.returncode == 2, refused.stderr
        assert message in refused.stderr and "Traceback" not in refused.stderr
        assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("address", "others"),
    [
        ("tcp://192.0.2.1:8786", True),
        ("192.0.2.1:8786", True),
        ("scheduler:8786", True),
        ("tcp://scheduler:8786", True),
        ("tcp://0.0.0.0:8786", True),
        ("tcp://[2001:db8::1]:8786", True),
        ("ws://scheduler:8786", True),
        ("tcp://127.0.0.1:8786", False),
        ("127.1.2.3:8786", False),
        ("tcp://localhost:8786", False),
        ("tcp://[::1]:8786", False),
        ("tls://scheduler:8786", False),
        ("wss://scheduler:8786", False),
    ],
)
def test_what_others_can_listen_to(address: str, others: bool) -> None:
    assert open_to_others(address) is others


def test_a_warning_where_others_can_listen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(executors, "_PATIENCE", "1 s")
    space = tmp_path / "space.toml"
    space.write_text(SPACE)
    # a name that does not exist: the warning comes before anything is sent
    words = ["explore", str(space), "-o", str(tmp_path / "x"), "--scheduler"]
    assert main([*words, "tcp://nobody.invalid:1"]) == 2
    errors = capsys.readouterr().err
    assert errors.count("nothing is encrypted") == 1
    assert "does not answer" in errors


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 64, b""])
@pytest.mark.short("HTTP/1.1 400 Bad Request\\r\\n\\r\\n")
@pytest.mark.long
def test_what_is_no_scheduler_is_one_message(answer: bytes, tmp_path: Path) -> None:
    """The first bytes of another server's answer are a length for dask."""
    (tmp_path / "space.toml").write_text("architecture = 'interleaved'\nwidth = 8\n")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    with server.accept()[0] as other:
                        other.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        began = time.monotonic()
        result = run(
            str(tmp_path / "space.toml"),
            "-o",
            str(tmp_path / "x"),
            "--scheduler",
            f"tcp://127.0.0.1:{port}",
        )
        assert time.monotonic() - began < PATIENCE
    assert result.returncode == 2 and "Traceback" not in result.stderr, result.stderr
    assert result.stderr.count("modmul: ") == 1 and "does not answer as one" in result.stderr
