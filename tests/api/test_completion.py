"""`gpuplan completion`: what bash and zsh complete after a tab, typed into each on a terminal of its own."""
import os
import pty
import re
import select
import shutil
import subprocess

import pytest

from conftest import BINARY, ROOT
from openapi import inlined

START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}
LOAD = {
    "bash": "bind 'set enable-bracketed-paste off'; bind 'set show-all-if-ambiguous on'; bind 'set page-completions off'; bind 'set completion-query-items 0'; source '{script}'",
    "zsh": "unsetopt zle_bracketed_paste; LISTMAX=1000; autoload -U compinit; compinit -u -D; source '{script}'",
}
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07")


class Shell:
    def __init__(self, name, env):
        self.name = name
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.execvpe(START[name][0], START[name], env | {"PS1": "", "TERM": "xterm", "COLUMNS": "200"})
            finally:  # else a failed exec leaves a second test run on the same database
                os._exit(127)

    def read_until(self, wanted, seconds=60):
        seen = ""
        while not re.search(wanted, seen):
            assert select.select([self.fd], [], [], seconds)[0], f"no {wanted!r} in {seen!r}"
            seen += COLOURS.sub("", os.read(self.fd, 65536).decode(errors="replace"))
        return seen

    def type(self, text):
        os.write(self.fd, text.encode())

    def stop(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


@pytest.fixture(scope="module", params=["bash", "zsh"])
def shell(request, server, tmp_path_factory):
    if not shutil.which(request.param):
        pytest.skip(f"not run: {request.param} is not installed")
    folder = tmp_path_factory.mktemp("completion")
    script = folder / "script"
    script.write_text(subprocess.run([BINARY, "completion", request.param], check=True, capture_output=True, text=True).stdout)
    (folder / "gpuplan").symlink_to(os.path.abspath(BINARY))
    env = dict(os.environ) | {"PATH": f"{folder}:{os.environ['PATH']}", "GPUPLAN_URL": server.url, "HOME": str(folder)}
    shell = Shell(request.param, env)
    shell.type(LOAD[request.param].format(script=script) + "; echo load''ed\n")
    shell.read_until("loaded")
    yield shell
    shell.stop()


@pytest.mark.parametrize("typed, wanted", [
    ("gpuplan compl", "gpuplan completion "), ("gpuplan ask reco", "gpuplan ask recommendation "),
    ("gpuplan ask break-even utiliz", "gpuplan ask break-even utilization"),
    ("gpuplan ask training-plan method=q", "gpuplan ask training-plan method=qlora "),
    ("gpuplan ask --format csv training-plan tokens=1e9 meth", "gpuplan ask --format csv training-plan tokens=1e9 method="),
    ("gpuplan ask break-even gpu=h100-sxm5", "gpuplan ask break-even gpu=h100-sxm5-80gb "),
    ("gpuplan ask --format js", "gpuplan ask --format json "), ("gpuplan ask quotes/7/history curso", "gpuplan ask quotes/7/history cursor=")])
def test_a_word_is_completed(shell, typed, wanted):
    shell.type(typed + "\t")
    shell.read_until(re.escape(wanted))
    shell.type("\x15")


def test_inputs_are_those_of_the_contract(server):
    script = subprocess.run([BINARY, "completion", "bash"], check=True, capture_output=True, text=True).stdout
    paths = {path: operations["get"]["parameters"] for path, operations in inlined(server.get("/openapi.json").json)["paths"].items() if path != "/v1"}
    asked = [re.sub("{.*?}", "any", path.removeprefix("/v1/")) for path in paths]
    each = "; ".join(f"_gpuplan_words '' gpuplan ask {path}; echo" for path in asked)
    offered = subprocess.run(["bash", "-c", f"{script}\n{each}; _gpuplan_words '' gpuplan ask"], check=True, capture_output=True, text=True).stdout.split("\n\n")
    assert offered.pop().split() == [re.sub("{.*?}", "", path.removeprefix("/v1/")) for path in paths]
    assert [{f"{each['name']}=" for each in parameters if each["in"] == "query"} for parameters in paths.values()] == [set(words.split()) for words in offered]


def test_it_is_installed(tmp_path):
    subprocess.run([ROOT / "service/package/install.sh", BINARY, "/usr"], cwd=ROOT, env=os.environ | {"DESTDIR": str(tmp_path)}, check=True)
    share = tmp_path / "usr/share"
    assert (share / "zsh/vendor-completions/_gpuplan").read_text().startswith("#compdef gpuplan\n")
    if not shutil.which("shellcheck"):
        pytest.skip("not run: shellcheck is not installed")
    checked = subprocess.run(["shellcheck", "--shell=bash", share / "bash-completion/completions/gpuplan"], capture_output=True, text=True)
    assert (checked.returncode, checked.stdout) == (0, "")


@pytest.mark.parametrize("arguments", [[], ["fish"], ["bash", "zsh"]])
def test_another_shell_is_refused(arguments):
    asked = subprocess.run([BINARY, "completion", *arguments], capture_output=True, text=True)
    assert (asked.returncode, asked.stdout, asked.stderr) == (64, "", "usage: gpuplan completion bash|zsh\n")
