"""A device that makes passkeys and signs with them, as a browser's answers show it."""

import json
from hashlib import sha256
from secrets import token_bytes
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url, encode_cbor

PRESENT, VERIFIED, HAS_KEY = 1, 4, 64  # flags


class Authenticator:
    """One passkey. `count`: signatures so far; None for a device that does not count."""

    def __init__(self, origin: str = "http://localhost", count: int | None = 0) -> None:
        self.origin, self.count = origin, count
        self.id = token_bytes(32)
        self.user = b""
        self._key = ec.generate_private_key(ec.SECP256R1())

    def make(self, options: str) -> str:
        """Return the answer to options for a new passkey."""
        asked = json.loads(options)
        self.user = base64url_to_bytes(asked["user"]["id"])
        at = self._key.public_key().public_numbers()
        key = {1: 2, 3: -7, -1: 1, -2: at.x.to_bytes(32, "big"), -3: at.y.to_bytes(32, "big")}
        credential = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + encode_cbor(key)
        data = self._data(asked["rp"]["id"], PRESENT | VERIFIED | HAS_KEY) + credential
        attestation = encode_cbor({"fmt": "none", "attStmt": {}, "authData": data})
        client_data = self._client_data("webauthn.create", asked["challenge"])
        return self._answer(clientDataJSON=client_data, attestationObject=attestation)

    def sign(self, options: str, flags: int = PRESENT | VERIFIED, **changed: Any) -> str:
        """Return the answer to options for using the passkey. `changed`: parts of it."""
        asked = json.loads(options)
        if self.count is not None:
            self.count += 1
        data = self._data(changed.pop("rp_id", asked["rpId"]), flags)
        client_data = self._client_data("webauthn.get", asked["challenge"])
        signed = data + sha256(client_data).digest()
        signature = self._key.sign(signed, ec.ECDSA(SHA256()))
        parts = {"clientDataJSON": client_data, "authenticatorData": data, "signature": signature}
        return self._answer(**{**parts, "userHandle": self.user, **changed})

    def _data(self, rp_id: str, flags: int) -> bytes:
        return (
            sha256(rp_id.encode()).digest() + bytes([flags]) + (self.count or 0).to_bytes(4, "big")
        )

    def _client_data(self, kind: str, challenge: str) -> bytes:
        parts = {"type": kind, "challenge": challenge, "origin": self.origin}
        return json.dumps(parts).encode()

    def _answer(self, **response: bytes) -> str:
        id_ = bytes_to_base64url(self.id)
        parts = {name: bytes_to_base64url(value) for name, value in response.items()}
        return json.dumps({"id": id_, "rawId": id_, "type": "public-key", "response": parts})
