"""Prints a JSON Web Token that joserfc has signed with a secret (HS256).

usage: sign.py SECRET_FILE CLAIMS_AS_JSON   iat is now, and exp is relative to it
"""
import json, pathlib, sys, time
from joserfc import jwk, jwt

secret, claims = pathlib.Path(sys.argv[1]).read_text().rstrip("\n"), json.loads(sys.argv[2])
now = int(time.time())
claims = {"iat": now, **claims, "exp": now + claims.get("exp", 60)}
print(jwt.encode({"alg": "HS256"}, claims, jwk.OctKey.import_key(secret)))
