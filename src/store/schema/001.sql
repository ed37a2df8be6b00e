-- SPDX-License-Identifier: GPL-2.0-or-later
-- Times are ns; *_wall_ns is CLOCK_REALTIME. Blobs are little-endian.

CREATE TABLE experiment (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL,
	file_name TEXT,
	file_text TEXT,
	digest TEXT,
	seed INTEGER NOT NULL,
	baseline INTEGER NOT NULL,
	created_wall_ns INTEGER NOT NULL,
	version TEXT,
	"plan" TEXT,
	device TEXT,
	peer TEXT
) STRICT;
CREATE INDEX experiment_name ON experiment (name);

CREATE TABLE factor (
	experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY (experiment, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE variant (
	experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	name TEXT NOT NULL,
	knobs TEXT,
	PRIMARY KEY (experiment, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE level (
	experiment INTEGER NOT NULL,
	variant INTEGER NOT NULL,
	factor INTEGER NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (experiment, variant, factor),
	FOREIGN KEY (experiment, variant) REFERENCES variant ON DELETE CASCADE,
	FOREIGN KEY (experiment, factor) REFERENCES factor ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE workload (
	experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	name TEXT NOT NULL,
	kind TEXT,
	options TEXT,
	primary_metrics TEXT,
	PRIMARY KEY (experiment, idx)
) STRICT, WITHOUT ROWID;

-- What a figure is; "source" is 0 for the device, 1 for the peer; better is
-- 0 none, 1 higher, 2 lower.
CREATE TABLE metric (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	instance TEXT NOT NULL,
	unit TEXT NOT NULL,
	better INTEGER NOT NULL,
	source INTEGER NOT NULL,
	UNIQUE (name, instance, unit, better, source)
) STRICT;

CREATE TABLE environment (
	id INTEGER PRIMARY KEY,
	text TEXT NOT NULL UNIQUE
) STRICT;

-- status: 0 ok, 1 failed, 2 interrupted. figures: per value a u32 metric.id
-- and a double, in one blob: a report over 100 000 runs with a hundred metrics
-- each then reads 100 000 rows, not ten million.
CREATE TABLE run (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,
	variant INTEGER NOT NULL,
	workload INTEGER NOT NULL,
	round INTEGER NOT NULL,
	slot INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 2),
	superseded INTEGER NOT NULL DEFAULT 0,
	reason TEXT,
	started_wall_ns INTEGER NOT NULL,
	device_window_ns INTEGER NOT NULL,
	peer_window_ns INTEGER NOT NULL,
	boot_id TEXT,
	environment INTEGER REFERENCES environment,
	figures BLOB NOT NULL,
	FOREIGN KEY (experiment, variant) REFERENCES variant,
	FOREIGN KEY (experiment, workload) REFERENCES workload
) STRICT;
CREATE INDEX run_experiment ON run (experiment);
CREATE INDEX run_environment ON run (environment);

-- t: n u64, v: n doubles
CREATE TABLE series (
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	metric INTEGER NOT NULL REFERENCES metric,
	t BLOB NOT NULL,
	v BLOB NOT NULL,
	PRIMARY KEY (run, idx)
) STRICT;

-- upper: n doubles, counts: n u64
CREATE TABLE histogram (
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	metric INTEGER NOT NULL REFERENCES metric,
	upper BLOB NOT NULL,
	counts BLOB NOT NULL,
	PRIMARY KEY (run, idx)
) STRICT;

CREATE TABLE event (
	run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	kind TEXT NOT NULL,
	flags INTEGER NOT NULL,
	source INTEGER NOT NULL,
	t_ns INTEGER NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (run, idx)
) STRICT, WITHOUT ROWID;
