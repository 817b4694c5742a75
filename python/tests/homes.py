"""The built fixtures that the tests ask: `make fixtures` builds them."""

from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent.parent / "target" / "fixtures"
DEMO = str(FIXTURES / "demo" / "home")
XSS = str(FIXTURES / "zed" / "xss")
LOGIN = "b5a0c0de-0000-4000-8000-000000000001"
# Of the demo home, every agent, no draft.
SESSIONS = 13
