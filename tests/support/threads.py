"""What a host may do to a loaded library: many connections at once, closed amid their scans and in any order, a fork, an
interrupt. argv: the library, a home, a folder for a large store. A line for each thing that was right; the first that is
not ends the program with words."""

import os
import sqlite3
import sys
import threading
import time

library, home, folder = sys.argv[1:]
SQL = "SELECT session_id, message_index, item_index, text FROM agent_messages(?)"
CONNECTIONS = 50


def connect():
    # Closed in another thread than it was opened in, too.
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.enable_load_extension(True)
    db.load_extension(library)
    return db


def must(what, is_right, *words):
    if not is_right:
        sys.exit("%s: %r" % (what, words))
    print(what, *words, flush=True)


whole = connect().execute(SQL, [home]).fetchall()
must("rows", len(whole) > 20)

# All at once.
barrier, answers = threading.Barrier(CONNECTIONS), [None] * CONNECTIONS


def scan(number):
    barrier.wait()
    for _ in range(2):
        db = connect()
        answers[number] = db.execute(SQL, [home]).fetchall()
        db.close()


threads = [threading.Thread(target=scan, args=[number]) for number in range(CONNECTIONS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
must("50 connections in threads", all(answer == whole for answer in answers))

# Closed amid a scan, by another thread.
for _ in range(20):
    db = connect()
    rows = db.execute(SQL, [home])
    rows.fetchmany(3)
    closing = threading.Thread(target=db.close)
    closing.start()
    closing.join()
    del rows, db
must("closed amid a scan", connect().execute(SQL, [home]).fetchall() == whole)

# Closed in another order than opened; who stays reads on.
opened = [connect() for _ in range(9)]
scans = [db.execute(SQL, [home]) for db in opened]
begun = [rows.fetchmany(2) for rows in scans]
for number in [4, 0, 8, 2, 6]:
    opened[number].close()
rest = [begun[number] + scans[number].fetchall() for number in [7, 1, 5, 3]]
must("closed in another order", all(answer == whole for answer in rest))

# A store that takes long: many small documents, then a large one.
path = os.path.join(folder, "threads.db")
if not os.path.exists(path):
    message = '{"User":{"id":"u","content":[{"Text":"%s"}]}}' % ("nothing to be found here " * 4000)
    db = sqlite3.connect(path)
    db.execute(
        "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL,"
        " data_type TEXT NOT NULL, data BLOB NOT NULL)"
    )
    documents = [("small %d" % number, [message]) for number in range(100)] + [("large", [message] * 600)]
    for key, messages in documents:
        text = '{"version":"0.3.0","messages":[%s]}' % ",".join(messages)
        row = [key, "", "2026-03-01T09:00:00Z", "json", text.encode()]
        db.execute("INSERT INTO threads VALUES (?, ?, ?, ?, ?)", row)
    db.commit()
    db.close()

# A value that a thread reads ahead.
value = os.path.join(folder, "state.vscdb")
if not os.path.exists(value):
    chats = ",".join(
        '"chat %d":{"interactions":[{"humanMessage":{"text":"%s"}}]}' % (number, "nothing to be found here " * 4000)
        for number in range(700)
    )
    db = sqlite3.connect(value)
    db.execute("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
    text = '{"cody-local-chatHistory-v2":{"https://sourcegraph.com/-ana":{"chat":{%s}}}}' % chats
    db.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?)", [text])
    db.commit()
    db.close()

# A child that reads by itself, and drops what it inherited: a scan with decoder threads, or with one that reads.
for table, store in [("zed_messages", path), ("cody_messages", value)]:
    db = connect()
    db.execute("SELECT agent_history_config('threads', 3)")
    rows = db.execute("SELECT text FROM %s(?)" % table, [store])
    rows.fetchmany(60)
    child = os.fork()
    if child == 0:
        is_right = connect().execute(SQL, [home]).fetchall() == whole
        rows.close()
        db.close()
        os._exit(0 if is_right else 1)
    status = None
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
    must("fork: the child", done and status == 0, table)
    must("fork: the parent", len(rows.fetchall()) == 640, table)
    db.close()

# An interrupt, and a progress handler that says stop: on this host's SQLite, however old.
LONG = "SELECT count(*) FROM zed_messages(?) WHERE text LIKE '%not there at all%'"
for how in ["interrupt", "progress handler"]:
    db = connect()
    db.execute("SELECT agent_history_config('cache_bytes', 0)").fetchall()
    stopped = []
    if how == "progress handler":
        db.set_progress_handler(lambda: bool(stopped), 1000)

    def stop():
        stopped.append(time.monotonic())
        if how == "interrupt":
            db.interrupt()

    timer = threading.Timer(0.05, stop)
    began = time.monotonic()
    timer.start()
    try:
        db.execute(LONG, [folder]).fetchall()
        ended = "by itself"
    except sqlite3.OperationalError as error:
        ended = str(error)
    taken = time.monotonic() - (stopped[0] if stopped else began)
    timer.cancel()
    is_soon = ended == "interrupted" or (ended == "by itself" and time.monotonic() - began < 0.4)
    must(how, is_soon and taken < 1, "SQLite " + sqlite3.sqlite_version, ended, "%.0f ms" % (taken * 1000))
    db.set_progress_handler(None, 0)
    db.close()
