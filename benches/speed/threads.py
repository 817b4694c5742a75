"""What one writes without us: count a threads.db's messages by role. Arguments: the file, the JSON module."""

import collections
import importlib
import sqlite3
import sys
import time

import zstandard

store, module = sys.argv[1:]
loads = importlib.import_module(module).loads
processor, clock = time.process_time(), time.perf_counter()
decompressor, counts = zstandard.ZstdDecompressor(), collections.Counter()
for data, kind in sqlite3.connect(f"file:{store}?mode=ro", uri=True).execute("SELECT data, data_type FROM threads"):
    text = data if kind == "json" else decompressor.decompressobj().decompress(data)
    for message in loads(text)["messages"]:
        if not isinstance(message, dict):
            continue
        for role, value in message.items():
            if role in ("User", "Agent"):
                for item in value["content"]:
                    counts[next(iter(item))] += 1
                counts["result"] += len(value.get("tool_results", ()))
print(time.process_time() - processor, time.perf_counter() - clock)
