"""A daemon that takes what those write whose tokens it knows."""
import hashlib
import json

from conftest import Own


def token_line(name, token, *more):
    return " ".join([name, hashlib.sha256(token.encode()).hexdigest(), *more]) + "\n"


class Writers(Own):
    """The lines of the file of tokens; ada's token is a-secret, bob's is b-secret."""

    def __init__(self, directories, *lines, **env):
        self.tokens = directories.mktemp("tokens") / "tokens"
        self.tokens.write_text("".join(lines))
        super().__init__(directories, GPUPLAN_WRITE_TOKENS_FILE=str(self.tokens), **env)

    def send(self, method, path, body=None, token="a-secret", kind="application/json"):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            headers["Content-Type"] = kind
        return self.server.request(method, path, None if body is None else json.dumps(body).encode(), headers)
