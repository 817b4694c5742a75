"""One Datasette for the tests of a class: the 1.0 alphas take their time to start."""

import asyncio
import os
import unittest

from datasette.app import Datasette
from homes import DEMO

SETTINGS = {"sql_time_limit_ms": 30000, "facet_time_limit_ms": 10000}


class Pages(unittest.TestCase):
    root = DEMO
    settings = {}

    @classmethod
    def setUpClass(cls):
        os.environ["AGENT_HISTORY_ROOT"] = cls.root
        cls.loop = asyncio.new_event_loop()
        cls.addClassCleanup(cls.loop.close)
        cls.datasette = Datasette(memory=True, settings=SETTINGS, **cls.settings)
        cls.loop.run_until_complete(cls.datasette.invoke_startup())

    def get(self, path, status=200):
        response = self.loop.run_until_complete(self.datasette.client.get(path))
        self.assertEqual(response.status_code, status, f"{path}: {response.text[:500]}")
        return response

    def json(self, path):
        """A page's JSON, with its rows as objects."""
        mark = "&" if "?" in path else "?"
        return self.get(f"{path}{mark}_shape=objects").json()

    def rows(self, path):
        return self.json(path)["rows"]
