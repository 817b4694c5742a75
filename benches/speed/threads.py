"""What one writes without us: count a threads.db's messages by turn type. Arguments: the file, the JSON module."""

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
turns = {"Thinking": "thinking", "ToolUse": "tool_use"}
for data, kind in sqlite3.connect(f"file:{store}?mode=ro", uri=True).execute("SELECT data, data_type FROM threads"):
    text = data if kind == "json" else decompressor.decompressobj().decompress(data)
    for message in loads(text)["messages"]:
        if "Agent" in message:
            for item in message["Agent"]["content"]:
                counts[turns.get(next(iter(item)), "assistant")] += 1
            counts["tool_result"] += len(message["Agent"]["tool_results"])
        elif "User" in message:
            counts["user"] += len(message["User"]["content"])
        else:
            counts[message["role"]] += len(message["segments"])
            counts["tool_use"] += len(message["tool_uses"])
            counts["tool_result"] += len(message["tool_results"])
print(time.process_time() - processor, time.perf_counter() - clock)
for turn, count in counts.items():
    print(turn, count)
