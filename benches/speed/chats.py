"""What one writes without us: count a state.vscdb's Cody messages by turn type. Arguments: the file, the JSON module."""

import collections
import importlib
import sqlite3
import sys
import time

store, module = sys.argv[1:]
loads = importlib.import_module(module).loads
processor, clock = time.process_time(), time.perf_counter()
rows = sqlite3.connect(f"file:{store}?mode=ro", uri=True).execute(
    "SELECT value FROM ItemTable WHERE key = 'sourcegraph.cody-ai'"
)
counts, turns = collections.Counter(), {"human": "user", "assistant": "assistant"}
for account in loads(rows.fetchone()[0])["cody-local-chatHistory-v2"].values():
    for chat in account["chat"].values():
        for interaction in chat["interactions"]:
            for message in ("humanMessage", "assistantMessage"):
                if interaction.get(message):
                    counts[turns[interaction[message]["speaker"]]] += 1
print(time.process_time() - processor, time.perf_counter() - clock)
for turn, count in counts.items():
    print(turn, count)
