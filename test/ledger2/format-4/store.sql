-- A store as the last version of format 4 (commit 530308b) left it: the log of host/user with tasks, leases, sessions and thoughts, calls
-- in flight together, a refused call and two starts; the log of another machine. files.json has the keys and the signed heads.
PRAGMA application_id = 1131375721;
PRAGMA user_version = 4;
CREATE TABLE logs (
  no INTEGER PRIMARY KEY,
  log_id TEXT NOT NULL UNIQUE,
  node TEXT NOT NULL,
  public_key TEXT NOT NULL,
  format INTEGER NOT NULL,
  size INTEGER NOT NULL,
  frontier TEXT NOT NULL,
  opened_at TEXT NOT NULL,
  closed_at TEXT
);
CREATE UNIQUE INDEX logs_open_by_node ON logs (node) WHERE closed_at IS NULL;
CREATE TABLE actions (
  -- logs.no * 2^32 + seq: the records of a log lie side by side in their order, without an index beside the table.
  id INTEGER PRIMARY KEY,
  log_id TEXT NOT NULL REFERENCES logs (log_id),
  seq INTEGER NOT NULL,
  sequence_no INTEGER,
  kind TEXT NOT NULL,
  tool TEXT,
  at TEXT NOT NULL,
  body TEXT NOT NULL,
  leaf TEXT NOT NULL
);
CREATE UNIQUE INDEX actions_outcome ON actions (log_id, sequence_no) WHERE kind = 'call.exit';
CREATE TABLE payloads (
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  salt TEXT NOT NULL,
  json TEXT,
  PRIMARY KEY (log_id, seq)
);
CREATE TABLE tiles (
  log_id TEXT NOT NULL,
  level INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (log_id, level, idx)
);
CREATE TABLE instances (
  instance TEXT PRIMARY KEY NOT NULL,
  log_id TEXT NOT NULL,
  boot_seq INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  started_at TEXT NOT NULL
);
CREATE TABLE tasks (
  -- AUTOINCREMENT: a number never comes back, not even after the last row was deleted.
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  description TEXT,
  project TEXT,
  status TEXT NOT NULL,
  priority TEXT NOT NULL,
  assignee TEXT,
  attempt INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  idempotency_key TEXT,
  request_digest TEXT,
  call_no INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- Derived, in no digest.
  open_deps INTEGER NOT NULL,
  leased INTEGER NOT NULL,
  terminal INTEGER NOT NULL,
  priority_rank INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  search_text TEXT NOT NULL
);
CREATE UNIQUE INDEX tasks_by_key ON tasks (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX tasks_list ON tasks (status, priority_rank, n);
CREATE INDEX tasks_list_project ON tasks (project, status, priority_rank, n) WHERE project IS NOT NULL;
CREATE INDEX tasks_list_assignee ON tasks (assignee, status, priority_rank, n) WHERE assignee IS NOT NULL;
CREATE INDEX tasks_list_both ON tasks (project, assignee, status, priority_rank, n)
  WHERE project IS NOT NULL AND assignee IS NOT NULL;
CREATE INDEX tasks_ready ON tasks (priority_rank, stage, n) WHERE terminal = 0 AND open_deps = 0 AND leased = 0;
CREATE INDEX tasks_ready_project ON tasks (project, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND project IS NOT NULL;
CREATE INDEX tasks_ready_assignee ON tasks (assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND assignee IS NOT NULL;
CREATE INDEX tasks_ready_both ON tasks (project, assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND project IS NOT NULL AND assignee IS NOT NULL;
CREATE INDEX tasks_held ON tasks (assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 1 AND assignee IS NOT NULL;
CREATE INDEX tasks_blocked ON tasks (n) WHERE terminal = 0 AND open_deps > 0;
CREATE INDEX tasks_blocked_project ON tasks (project, n) WHERE terminal = 0 AND open_deps > 0;
CREATE TABLE task_dependencies (
  task_n INTEGER NOT NULL REFERENCES tasks (n),
  depends_on_n INTEGER NOT NULL REFERENCES tasks (n),
  PRIMARY KEY (task_n, depends_on_n)
);
CREATE INDEX task_dependents ON task_dependencies (depends_on_n, task_n);
CREATE TABLE leases (
  task_n INTEGER PRIMARY KEY NOT NULL REFERENCES tasks (n),
  token INTEGER NOT NULL,
  holder TEXT NOT NULL,
  until TEXT NOT NULL,
  minutes INTEGER NOT NULL,
  released INTEGER NOT NULL,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- Derived: 1 while the queue looks past the task.
  flagged INTEGER NOT NULL
);
CREATE INDEX leases_by_end ON leases (until) WHERE flagged = 1;
CREATE TABLE sessions (
  session_id TEXT PRIMARY KEY NOT NULL,
  intent TEXT NOT NULL,
  task_id TEXT,
  agent_id TEXT,
  opened_by TEXT NOT NULL,
  started_at TEXT NOT NULL,
  genesis_hash TEXT NOT NULL,
  finalized_at TEXT,
  root TEXT,
  record_count INTEGER,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL
);
CREATE INDEX sessions_open_by_task ON sessions (task_id, started_at) WHERE finalized_at IS NULL;
CREATE TABLE thoughts (
  thought_id TEXT PRIMARY KEY NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (session_id),
  place INTEGER NOT NULL,
  type TEXT NOT NULL,
  task_id TEXT,
  agent_id TEXT,
  skill_name TEXT,
  skill_digest TEXT,
  content_digest TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  content TEXT,
  content_salt TEXT,
  idempotency_key TEXT,
  request_digest TEXT,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  -- Derived: the task's attempt when it was recorded.
  attempt INTEGER
);
CREATE UNIQUE INDEX thoughts_in_session ON thoughts (session_id, place);
CREATE UNIQUE INDEX thoughts_by_key ON thoughts (session_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX thoughts_by_task ON thoughts (task_id, attempt);
CREATE TABLE checkpoints (
  log_id TEXT NOT NULL REFERENCES logs (log_id),
  -- Dense from 1: a checkpoint that was taken out leaves a hole.
  no INTEGER NOT NULL,
  size INTEGER NOT NULL,
  -- The signed note, as it was given away.
  note TEXT NOT NULL,
  PRIMARY KEY (log_id, no)
);
CREATE UNIQUE INDEX checkpoints_by_size ON checkpoints (log_id, size);
CREATE INDEX sessions_open_by_opener ON sessions (opened_by, started_at) WHERE finalized_at IS NULL;
CREATE INDEX thoughts_in_log ON thoughts (log_id, seq);
CREATE TABLE catalogue (
  server TEXT NOT NULL,
  -- Digest of how the server is reached: another command may offer other tools under the same name.
  connection TEXT NOT NULL,
  -- What the client offered when the tools were read; some servers list other tools then.
  client TEXT NOT NULL,
  tools TEXT NOT NULL,
  digest TEXT NOT NULL,
  read_at TEXT NOT NULL,
  rev INTEGER NOT NULL,
  salt TEXT NOT NULL,
  log_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (connection, client, server)
);
CREATE TABLE server_states (
  instance TEXT NOT NULL,
  -- Empty: the switchboard file itself.
  server TEXT NOT NULL,
  place INTEGER NOT NULL,
  state TEXT NOT NULL,
  since TEXT NOT NULL,
  reason TEXT,
  next_at TEXT,
  calls INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  noise INTEGER NOT NULL,
  notes TEXT NOT NULL,
  p50_ms INTEGER,
  p99_ms INTEGER,
  at TEXT NOT NULL,
  PRIMARY KEY (instance, server)
);
CREATE TABLE server_eras (
  connection TEXT PRIMARY KEY NOT NULL,
  era TEXT NOT NULL,
  version TEXT,
  at INTEGER NOT NULL
);
INSERT INTO logs VALUES (1, 'ceea6f6375fa1f73ab9a414dab78a9af', 'host/user', '778b7c861e6552385ec193a426d8a63b7c81f6ad0367369134c11c23bd42c39b', 4, 55, 'e9f187c03a6cc17655b105e930faaac1e072b0f6e94f3bbd093dd4e61f176518e81f56e0813670a0c4b3ecbd88abdd4981a06b6181aeed23eaeb1416fdc3ef8e4dacb0b46c3c37df978a42e86ace21616b59f1472db3ffda60eda69a0d2a0dc61fb31a28cd4d9e871d447f328a1b05f188a8676f6143a6a09448f56c1a1747aeeb80305cf69a6edc1cc484d3e5186f3648f4bba0e1d98441dcbb1ec3106911fa', '2026-11-18T02:35:11.554Z', NULL);
INSERT INTO logs VALUES (2, 'b7225148701b3b3e3e8cf4d3b57a5f1b', 'elsewhere/user', '298b40dc5a9917f7ea44663b8b1730466fd82062c5b43d6c320e0987dc4e1e0d', 4, 4, '1d29f3bbc5d4ae50e42ba3ce8ed00424f3ea7e86fb0d0af94bb4ff8f2d0aedd6', '2026-11-18T02:35:12.494Z', NULL);
INSERT INTO actions VALUES (4294967296, 'ceea6f6375fa1f73ab9a414dab78a9af', 0, NULL, 'migrate', NULL, '2026-11-18T02:35:11.554Z', '{"at":"2026-11-18T02:35:11.554Z","checksum":"165939d39e9f3baba064103003788257cf8d5f86f2635c0669304be89283a1e6","from":0,"kind":"migrate","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":0,"to":1,"v":1}', '77021372b86a81c21c88f63b14e473d722b45d63eb4f2c1112391696c4bbe6df');
INSERT INTO actions VALUES (4294967297, 'ceea6f6375fa1f73ab9a414dab78a9af', 1, NULL, 'migrate', NULL, '2026-11-18T02:35:11.557Z', '{"at":"2026-11-18T02:35:11.557Z","checksum":"59815edbfcf846811c8bbcda2d02c61a469260b64c1115bbf304419fa4ac0b78","from":1,"kind":"migrate","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":1,"to":2,"v":1}', 'b12736d44f21fb8a65655ec00f7a95dd2ef35f2bfa9711f73ee3cdbcfbed2f9e');
INSERT INTO actions VALUES (4294967298, 'ceea6f6375fa1f73ab9a414dab78a9af', 2, NULL, 'migrate', NULL, '2026-11-18T02:35:11.559Z', '{"at":"2026-11-18T02:35:11.559Z","checksum":"af25944ed25412f14867f3f8d243791e5c60ac5fa126d2fc9987b66f51e062ad","from":2,"kind":"migrate","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":2,"to":3,"v":1}', '15e5c9e51c32a041e19e854de59036bd67f92ffbbcdbcbd66c5f6a2a202376d4');
INSERT INTO actions VALUES (4294967299, 'ceea6f6375fa1f73ab9a414dab78a9af', 3, NULL, 'migrate', NULL, '2026-11-18T02:35:11.560Z', '{"at":"2026-11-18T02:35:11.560Z","checksum":"7750d000c8d3abc74120b5ccf4b106b0e20b6cff072e3aa4a1d49aae59bbb828","from":3,"kind":"migrate","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":3,"to":4,"v":1}', '42a232b1df3c625ec9f0184c562c7798f91a062d1e6b9d8877ca2f55635b21db');
INSERT INTO actions VALUES (4294967300, 'ceea6f6375fa1f73ab9a414dab78a9af', 4, NULL, 'boot', NULL, '2026-11-18T02:35:11.571Z', '{"at":"2026-11-18T02:35:11.571Z","config_digest":"04459db0b0cc47ae6da5b82d993ba1874b36fb2c578e677baca052c6bb2e00d4","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"boot","log":"ceea6f6375fa1f73ab9a414dab78a9af","machine_boot":"73ab1cdf-086f-4363-91c5-a8d36baeaa98","mode":"FULL","node":"host/user","os_user":"user","pid":2162,"project":null,"seq":4,"v":1,"version":"0.1.0"}', '11a4c37cf2cc215340da2dcc809a5ccee8c6c9cfb704d50e29a7a941ce184f60');
INSERT INTO actions VALUES (4294967301, 'ceea6f6375fa1f73ab9a414dab78a9af', 5, 5, 'call.enter', 'task_create', '2026-11-18T02:35:11.576Z', '{"args":"stored","args_bytes":42,"args_digest":"c793458f782928b15ee8a516cefe722beb04b91fa44d1a3b8fd88773d034742c","at":"2026-11-18T02:35:11.576Z","call":"7f9f07c4-b2a3-4559-b50a-11bf67aae42b","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":5,"sequence_no":5,"tool":"task_create","v":1}', '1a8203bea998cb88e42030cdc870151e2fc0317ed13fbb12e39214cf5b4270f7');
INSERT INTO actions VALUES (4294967302, 'ceea6f6375fa1f73ab9a414dab78a9af', 6, 5, 'call.exit', 'task_create', '2026-11-18T02:35:11.580Z', '{"at":"2026-11-18T02:35:11.580Z","call":"7f9f07c4-b2a3-4559-b50a-11bf67aae42b","duration_us":3547,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"13e9d4cceef37385ab158e1958973c7499c48147a886968a9cd1d78a66751210","seq":6,"sequence_no":5,"subjects":[{"digest":"6a19c924e970b5d92407ccc7e4881f0bcc87f5e07f32604a61b66306dd5525ae","id":"T-0001","rev":1,"type":"task"}],"tool":"task_create","v":1}', 'f68ec6ab19dc0350c9231f3ecffc79f624ddec2224fd9743a6f366e7a0bc29ee');
INSERT INTO actions VALUES (4294967303, 'ceea6f6375fa1f73ab9a414dab78a9af', 7, 7, 'call.enter', 'task_create', '2026-11-18T02:35:11.582Z', '{"args":"stored","args_bytes":42,"args_digest":"3f90b6816eea6231cd5ee9d6f0e858928b0a40e78ec455ce26476f1dc6466a08","at":"2026-11-18T02:35:11.582Z","call":"24b73e52-aac2-4d46-bd04-1cf8d8bff538","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":7,"sequence_no":7,"tool":"task_create","v":1}', '8be8beab991a8716eef37f5bc56c82a63be2a1ec191c9439928798af745f293d');
INSERT INTO actions VALUES (4294967304, 'ceea6f6375fa1f73ab9a414dab78a9af', 8, 7, 'call.exit', 'task_create', '2026-11-18T02:35:11.583Z', '{"at":"2026-11-18T02:35:11.583Z","call":"24b73e52-aac2-4d46-bd04-1cf8d8bff538","duration_us":776,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","replay_of":5,"result_digest":"5b4873f77417a779b3e2414aae89128ad71aab425616819ab7b883423e789289","seq":8,"sequence_no":7,"tool":"task_create","v":1}', 'd5ee2b774beded2924a253d776f1524c55b5db0173240d543221cf237bee5ee2');
INSERT INTO actions VALUES (4294967305, 'ceea6f6375fa1f73ab9a414dab78a9af', 9, 9, 'call.enter', 'task_create', '2026-11-18T02:35:11.584Z', '{"args":"stored","args_bytes":25,"args_digest":"457e966db202255daa6533d3f7f235f28ff40438ac732296d4376537b6f311bf","at":"2026-11-18T02:35:11.584Z","call":"dc7898a5-6a58-490f-9bdf-c7145824269e","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":9,"sequence_no":9,"tool":"task_create","v":1}', '06b85ee7321c5ebfb2e395eb909ba863c90cc518ad97c578e0b98ce670d659f2');
INSERT INTO actions VALUES (4294967306, 'ceea6f6375fa1f73ab9a414dab78a9af', 10, 9, 'call.exit', 'task_create', '2026-11-18T02:35:11.585Z', '{"at":"2026-11-18T02:35:11.585Z","call":"dc7898a5-6a58-490f-9bdf-c7145824269e","duration_us":923,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"f0d22b429ac5e4fbc2f4c43ecfb10589e68e55b1fea23d1d1fa0588d58b9c983","seq":10,"sequence_no":9,"subjects":[{"digest":"5c417b58a2821aba2c4e296c1f7df048769975caa0fe42f5f85b89907b9bf2ac","id":"T-0002","rev":1,"type":"task"}],"tool":"task_create","v":1}', 'd841d50555af22009984e38ec3cfeb2f6f2b60e499707baea6aba5687bc152df');
INSERT INTO actions VALUES (4294967307, 'ceea6f6375fa1f73ab9a414dab78a9af', 11, 11, 'call.enter', 'task_create', '2026-11-18T02:35:11.586Z', '{"args":"empty","at":"2026-11-18T02:35:11.586Z","call":"0349c276-4490-4ff6-969e-89051c16e025","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":11,"sequence_no":11,"tool":"task_create","v":1}', '44acf5bc5165db548a85d547036c40b9a7d4772e0e78d80bbc26d4029f2f8b6c');
INSERT INTO actions VALUES (4294967308, 'ceea6f6375fa1f73ab9a414dab78a9af', 12, 11, 'call.exit', 'task_create', '2026-11-18T02:35:11.587Z', '{"at":"2026-11-18T02:35:11.587Z","call":"0349c276-4490-4ff6-969e-89051c16e025","duration_us":556,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"6e12c19aba371c1f596b8e42377fecace31d866d2f2e585c7658fd7e1559a906","seq":12,"sequence_no":11,"subjects":[{"digest":"ca3e4fa88fe216aeba877ca5f0ff85102c1ab3e64d14d1832ff9746e8c85b998","id":"T-0003","rev":1,"type":"task"}],"tool":"task_create","v":1}', '27702055bfa2c13673a44dd4e71dfa4822d85abe1da8c6e4291bdc675baf297b');
INSERT INTO actions VALUES (4294967309, 'ceea6f6375fa1f73ab9a414dab78a9af', 13, 13, 'call.enter', 'task_next_actions', '2026-11-18T02:35:11.588Z', '{"args":"stored","args_bytes":22,"args_digest":"353d494ee697d9e4a8db1abf535d34a14758ea951812589a078cf0eef28572d5","at":"2026-11-18T02:35:11.588Z","call":"dfd5ae66-d0e6-4132-8465-873c8ef83252","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":13,"sequence_no":13,"tool":"task_next_actions","v":1}', '0bc9e95848d03206c59d5b5579f3afb59d308d0809cdcf509fb3a6a5b7917803');
INSERT INTO actions VALUES (4294967310, 'ceea6f6375fa1f73ab9a414dab78a9af', 14, 13, 'call.exit', 'task_next_actions', '2026-11-18T02:35:11.590Z', '{"at":"2026-11-18T02:35:11.590Z","call":"dfd5ae66-d0e6-4132-8465-873c8ef83252","duration_us":2117,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"667cb13f4c2e1636ba98c1fc494fd01d09eda2e5d902fd05aa1bc04c452f709c","seq":14,"sequence_no":13,"subjects":[{"digest":"4d0d31e61fa71aa13b65baa295a49705cd2226c85ee785d23c76eaaa884262f0","id":"T-0001","rev":2,"type":"task"},{"digest":"267ce00db3c857fd5b8d4cfd926b414f40a12c6a1823ff3fff3759f128d6f4b1","id":"T-0001","rev":1,"type":"lease"}],"tool":"task_next_actions","v":1}', 'a7e756818e9f22667815ba0f3177fdfef03052e09651a499c274ac1f8c24e088');
INSERT INTO actions VALUES (4294967311, 'ceea6f6375fa1f73ab9a414dab78a9af', 15, 15, 'call.enter', 'task_update', '2026-11-18T02:35:11.593Z', '{"args":"stored","args_bytes":38,"args_digest":"fcc419419abdc50b9dff6510e3cf78baf4536e327a3559c1fe181ddd0a1da971","at":"2026-11-18T02:35:11.593Z","call":"5e492c8a-7893-4119-b550-4b70eec35ade","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":15,"sequence_no":15,"tool":"task_update","v":1}', '1314a1a79cf44ef2273dd901d9f0886bc7fe22781dfc0927b2a6008c591fc260');
INSERT INTO actions VALUES (4294967312, 'ceea6f6375fa1f73ab9a414dab78a9af', 16, 15, 'call.exit', 'task_update', '2026-11-18T02:35:11.599Z', '{"at":"2026-11-18T02:35:11.599Z","call":"5e492c8a-7893-4119-b550-4b70eec35ade","code":"ERR_LEASE_LOST","duration_us":5650,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"domain_error","result_digest":"758981914d988d5bd9c688eb14acba01576b7702ac7eea0132544f061764d015","seq":16,"sequence_no":15,"tool":"task_update","v":1}', '91312d272411f2a97d7ae7610c660aacd446e42d74772f14e6b185ae5cb3bc81');
INSERT INTO actions VALUES (4294967313, 'ceea6f6375fa1f73ab9a414dab78a9af', 17, 17, 'call.enter', 'task_update', '2026-11-18T02:35:11.600Z', '{"args":"stored","args_bytes":39,"args_digest":"310d6ec2f9ae407359ee95b283e63e294c5fcb4a9ece3631098e4b9c1710b2eb","at":"2026-11-18T02:35:11.600Z","call":"3ec82c9f-362f-4bb9-870b-ceb7ea6bd232","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":17,"sequence_no":17,"tool":"task_update","v":1}', '8013e2d6aeaf349a00851d9cf5886bce4a977e0baadfbeebd4c371517262c7ef');
INSERT INTO actions VALUES (4294967314, 'ceea6f6375fa1f73ab9a414dab78a9af', 18, 17, 'call.exit', 'task_update', '2026-11-18T02:35:11.601Z', '{"at":"2026-11-18T02:35:11.601Z","call":"3ec82c9f-362f-4bb9-870b-ceb7ea6bd232","code":"ERR_LEASE_LOST","duration_us":680,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"domain_error","result_digest":"d5f04479cc70337461a0b8673fb942d118a8a1bf6d1210b34469e3b06f7445fb","seq":18,"sequence_no":17,"tool":"task_update","v":1}', 'cebd0b48eb3852e1bb4821a76a404245db13bf33a8b4fb8ccac45d33801d3171');
INSERT INTO actions VALUES (4294967315, 'ceea6f6375fa1f73ab9a414dab78a9af', 19, 19, 'call.enter', 'task_update', '2026-11-18T02:35:11.602Z', '{"args":"stored","args_bytes":36,"args_digest":"ef62184886a77cec9611a9a38bdbbe605d66d64087ced930a1557e5d0ef6ae8d","at":"2026-11-18T02:35:11.602Z","call":"d5aaff98-fecf-41a4-b81c-498dff6a132c","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":19,"sequence_no":19,"tool":"task_update","v":1}', '7422aeb2b0d197553944a993a6b46f7db59df6afcb160694842e05e9a3095f57');
INSERT INTO actions VALUES (4294967316, 'ceea6f6375fa1f73ab9a414dab78a9af', 20, 19, 'call.exit', 'task_update', '2026-11-18T02:35:11.604Z', '{"at":"2026-11-18T02:35:11.604Z","call":"d5aaff98-fecf-41a4-b81c-498dff6a132c","code":"ERR_LEASE_LOST","duration_us":1867,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"domain_error","result_digest":"9644a4ee8cd0ee7e243981bbe024aef9da3649fc011e0c28e0bb7476c6043929","seq":20,"sequence_no":19,"tool":"task_update","v":1}', '324a744cb55723fa47725d9ebd2cbcc7a18d4194d97a0dbdb5b00178c6fa5287');
INSERT INTO actions VALUES (4294967317, 'ceea6f6375fa1f73ab9a414dab78a9af', 21, 21, 'call.enter', 'task_update', '2026-11-18T02:35:11.604Z', '{"args":"stored","args_bytes":37,"args_digest":"5ab288bc8a9f2e1ba63a6e1cbc0f3e55892ad15c35fef6b742e83a679f3a9f4b","at":"2026-11-18T02:35:11.604Z","call":"e4cf6323-a0ad-406c-8de5-85da38218585","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":21,"sequence_no":21,"tool":"task_update","v":1}', '81c6780f0e5cda2389be9c6eabc990ac857cfdad29565ae473a33cf18263e940');
INSERT INTO actions VALUES (4294967318, 'ceea6f6375fa1f73ab9a414dab78a9af', 22, 21, 'call.exit', 'task_update', '2026-11-18T02:35:11.605Z', '{"at":"2026-11-18T02:35:11.605Z","call":"e4cf6323-a0ad-406c-8de5-85da38218585","code":"ERR_LEASE_LOST","duration_us":605,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"domain_error","result_digest":"009258197a4f1ddd183da496926a759c5ac6aff0575310a2b6795ca36b5a372e","seq":22,"sequence_no":21,"tool":"task_update","v":1}', '4dceaa573e4ee9b25e1eb23ab7a26b1230d7131204aecf8cfd4e390ac239ef8d');
INSERT INTO actions VALUES (4294967319, 'ceea6f6375fa1f73ab9a414dab78a9af', 23, 23, 'call.enter', 'task_update', '2026-11-18T02:35:11.606Z', '{"args":"stored","args_bytes":38,"args_digest":"50c79dccc398b311bed586fd9c0698928ecaf3eb6188a4327f24fef1e6c154c9","at":"2026-11-18T02:35:11.606Z","call":"433643de-0d72-4b3b-ac23-3751f16a4129","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":23,"sequence_no":23,"tool":"task_update","v":1}', '51e28ab8e48799b3b4048b1407a8a0266163391597583a2fd89c9b27d9a26d17');
INSERT INTO actions VALUES (4294967320, 'ceea6f6375fa1f73ab9a414dab78a9af', 24, 23, 'call.exit', 'task_update', '2026-11-18T02:35:11.607Z', '{"at":"2026-11-18T02:35:11.607Z","call":"433643de-0d72-4b3b-ac23-3751f16a4129","code":"ERR_LEASE_LOST","duration_us":735,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"domain_error","result_digest":"75c8fcd9264bfba416c56320318c100de67cf2514b1b3b4f5476bb0a81f2776f","seq":24,"sequence_no":23,"tool":"task_update","v":1}', '4a931e519c57dd031ab52dba74d96aedbcd12588dce244b05a9eb4ea0b614be9');
INSERT INTO actions VALUES (4294967321, 'ceea6f6375fa1f73ab9a414dab78a9af', 25, 25, 'call.enter', 'task_update', '2026-11-18T02:35:11.607Z', '{"args":"stored","args_bytes":36,"args_digest":"dc69ef3a88bf8d00703534496c6645b83f784253a9d3bf754ff68b50631ba5a1","at":"2026-11-18T02:35:11.607Z","call":"1efc5b36-fa7f-43b4-9042-cc2c5775f090","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":25,"sequence_no":25,"tool":"task_update","v":1}', 'c168a44a4073ae3558a696bdd92bdb727092324fb44611f6ab7c1e46c846c68b');
INSERT INTO actions VALUES (4294967322, 'ceea6f6375fa1f73ab9a414dab78a9af', 26, 25, 'call.exit', 'task_update', '2026-11-18T02:35:11.608Z', '{"at":"2026-11-18T02:35:11.608Z","call":"1efc5b36-fa7f-43b4-9042-cc2c5775f090","code":"ERR_LEASE_LOST","duration_us":415,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"domain_error","result_digest":"7fdb16417df952596b1c0cce109cc6e2748394b96b241cc6555dd67e4009ca87","seq":26,"sequence_no":25,"tool":"task_update","v":1}', 'e41b9d510c83c3a24bdcf6932c362f5723f572b1fd988ebc0317f6f6eb3e1790');
INSERT INTO actions VALUES (4294967323, 'ceea6f6375fa1f73ab9a414dab78a9af', 27, 27, 'call.enter', 'task_next_actions', '2026-11-18T02:35:11.608Z', '{"args":"stored","args_bytes":22,"args_digest":"b8859ac28a8b96f0462fa0beaed66c52eaec003379f9faae650ce8ed3e6ab27c","at":"2026-11-18T02:35:11.608Z","call":"74f2c697-b03d-4fe7-931a-e3cb2102a76e","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":27,"sequence_no":27,"tool":"task_next_actions","v":1}', '719137b4c92115e99127bb0acecaa58774970b62c2a2df006fb6e745ada31ae7');
INSERT INTO actions VALUES (4294967324, 'ceea6f6375fa1f73ab9a414dab78a9af', 28, 27, 'call.exit', 'task_next_actions', '2026-11-18T02:35:11.609Z', '{"at":"2026-11-18T02:35:11.609Z","call":"74f2c697-b03d-4fe7-931a-e3cb2102a76e","duration_us":764,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"e37b2cd1427cf064afdd3e8ed0f255e574c38f9e9ec26589a36e3d4995e146d4","seq":28,"sequence_no":27,"subjects":[{"digest":"8001925d70ecfeb0eed71c39328b5b3526bfb099d0d51983c232ca73bab1f6c8","id":"T-0003","rev":2,"type":"task"},{"digest":"c8c2e794afbaf7b9150c5f8eefbe511163bfcf1ad8fe9a02dcec6344acead36d","id":"T-0003","rev":1,"type":"lease"}],"tool":"task_next_actions","v":1}', 'f3c24f8b49ea318154f65b69a57a1d3606050f939f9038cea72b9400a744c49b');
INSERT INTO actions VALUES (4294967325, 'ceea6f6375fa1f73ab9a414dab78a9af', 29, 29, 'call.enter', 'task_update', '2026-11-18T02:35:11.611Z', '{"args":"stored","args_bytes":38,"args_digest":"7bcb877966e6caf49afff123edb3cc0e098c53391c10c0f98d07326f990cc401","at":"2026-11-18T02:35:11.611Z","call":"4b34cca9-a803-4bcd-872d-239cc71b2605","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":29,"sequence_no":29,"tool":"task_update","v":1}', '8621d0c97c878fb3bf4ba23f2cefcd39f5acb2c406a8c302e1e56b333511cf38');
INSERT INTO actions VALUES (4294967326, 'ceea6f6375fa1f73ab9a414dab78a9af', 30, 29, 'call.exit', 'task_update', '2026-11-18T02:35:11.613Z', '{"at":"2026-11-18T02:35:11.613Z","attempt":1,"call":"4b34cca9-a803-4bcd-872d-239cc71b2605","change":{"attempt":1,"because":"01a1ec82-197b-7f23-aa30-f22934e9b130","from":"INIT","task_id":"T-0002","to":"GATHER","version":2},"duration_us":1654,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"dabfb27c8967fa37ee1026d63980c0f4ef789a052e86bfaa73599ffdbc36865e","seq":30,"sequence_no":29,"subjects":[{"digest":"f5f5f3c1bbbfbaadd07d796ccd2f2d4fe3d089ecfc91a64ccfb218ead03433f2","id":"01a1ec82-197b-7eb8-a645-c55b1babfa9f","rev":1,"type":"session"},{"digest":"fa4d07c1fde1a32e42e5b2244eadcdab9117db6c32042989a1cefe6c8b5691d6","id":"01a1ec82-197b-7f23-aa30-f22934e9b130","rev":1,"type":"thought"},{"digest":"f1d9e8b35304559f5acdf06230d0776453a7ff2d15fd53b6b99c1cd611df061c","id":"T-0002","rev":2,"type":"task"}],"tool":"task_update","v":1}', '263afd704985e424899d24d6ed7ac72930b44ddbeecf9ccd779453c946a52380');
INSERT INTO actions VALUES (4294967327, 'ceea6f6375fa1f73ab9a414dab78a9af', 31, 31, 'call.enter', 'thought_record', '2026-11-18T02:35:11.614Z', '{"args":"stored","args_bytes":19,"args_digest":"107cf0802ef41cb2cf5e96b342349870d3096d7f2d039d90d5ebc27abe270073","at":"2026-11-18T02:35:11.614Z","call":"4997dc4b-451b-40ef-83db-a42b16e4adb6","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":31,"sequence_no":31,"tool":"thought_record","v":1}', 'a52ddc831ccbd953d7fc5cf0e00471c67f3760f33307c00d8888c86284b7090a');
INSERT INTO actions VALUES (4294967328, 'ceea6f6375fa1f73ab9a414dab78a9af', 32, 31, 'call.exit', 'thought_record', '2026-11-18T02:35:11.619Z', '{"at":"2026-11-18T02:35:11.619Z","call":"4997dc4b-451b-40ef-83db-a42b16e4adb6","duration_us":4970,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"e620c63e8ad87590b310b00caaa48831c5358d1af2875955b7dc3724d4260e81","seq":32,"sequence_no":31,"subjects":[{"digest":"44b596cf653ff680d251b0c99193f65c31a261d37b3fe13183182754a67602b0","id":"01a1ec82-1982-79a5-a327-356e27426c40","rev":1,"type":"session"},{"digest":"b574c82815e8ce3040697711feea8bcbd47759af53afc7280de376ddbeb6b2e3","id":"01a1ec82-1982-7f9e-8000-30b7c68c1ff9","rev":1,"type":"thought"}],"tool":"thought_record","v":1}', '41895e242c66bd8c1ccb45f0c66031b2c1e1671d60bbc4339ce11ff655591e76');
INSERT INTO actions VALUES (4294967329, 'ceea6f6375fa1f73ab9a414dab78a9af', 33, 33, 'call.enter', 'task_list', '2026-11-18T02:35:11.624Z', '{"args":"stored","args_bytes":11,"args_digest":"ac8f966ce4f946b9d05831cde7f1c2470c91cb22c67b9a0ddff0b774de406137","at":"2026-11-18T02:35:11.624Z","call":"b214d3d9-930e-4383-87d6-ed9a28ee7aec","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"read","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":33,"sequence_no":33,"tool":"task_list","v":1}', '02dbb2da477fa22ee44aec77c2e3c44e35597be11a5ab86a0b1c0e4b2fa065d0');
INSERT INTO actions VALUES (4294967330, 'ceea6f6375fa1f73ab9a414dab78a9af', 34, 34, 'call.enter', 'server_ping', '2026-11-18T02:35:11.624Z', '{"args":"stored","args_bytes":7,"args_digest":"ffd5aa3463d1090cc7191f35f796b8ed16917a2675f8c1e76b3a475341de09c0","at":"2026-11-18T02:35:11.624Z","call":"b5b81ba0-23c4-48f5-bd60-065f2143e972","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"read","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":34,"sequence_no":34,"tool":"server_ping","v":1}', '6e7c3a35ed593c4a929a72a9d4ebdce470ce5af34c1e49a025c4731b791c0bcb');
INSERT INTO actions VALUES (4294967331, 'ceea6f6375fa1f73ab9a414dab78a9af', 35, 35, 'call.enter', 'task_list', '2026-11-18T02:35:11.624Z', '{"args":"stored","args_bytes":11,"args_digest":"b73fa1f22e05d6664e3ff95fe9f8490892586df6b935d64bcaf2fff7628e3ad5","at":"2026-11-18T02:35:11.624Z","call":"cf8d1aaa-39b8-45db-9576-938a351796f7","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"read","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":35,"sequence_no":35,"tool":"task_list","v":1}', '2f210dc519a7d9699f0ba70be6433c27c89ee4211d42727f6eaf43bd613e6ac8');
INSERT INTO actions VALUES (4294967332, 'ceea6f6375fa1f73ab9a414dab78a9af', 36, 36, 'call.enter', 'server_ping', '2026-11-18T02:35:11.624Z', '{"args":"stored","args_bytes":7,"args_digest":"7aa98059e0ff55821f57715a032447c4f24675f28e2133d922404dce6c72f543","at":"2026-11-18T02:35:11.624Z","call":"10c28402-2709-4123-bc4b-6915d43a5f25","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"read","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":36,"sequence_no":36,"tool":"server_ping","v":1}', 'c02ded2b134f8ea30d4d5ec519ecc59d544c7883cd8e50d7ded20e808d7364fc');
INSERT INTO actions VALUES (4294967333, 'ceea6f6375fa1f73ab9a414dab78a9af', 37, 37, 'call.enter', 'task_list', '2026-11-18T02:35:11.624Z', '{"args":"stored","args_bytes":11,"args_digest":"b8be0701144aea9c53c78dd08d48ce44026a9fb7efc1952c171684cef84bb482","at":"2026-11-18T02:35:11.624Z","call":"10b94f83-18ad-4fb9-9b10-164f8a7378b0","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"read","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":37,"sequence_no":37,"tool":"task_list","v":1}', 'd452568716f63e40dd515175a581724f49363cc4af075001299192ef6ca6c98f');
INSERT INTO actions VALUES (4294967334, 'ceea6f6375fa1f73ab9a414dab78a9af', 38, 38, 'call.enter', 'server_ping', '2026-11-18T02:35:11.625Z', '{"args":"stored","args_bytes":7,"args_digest":"7bb968cdf9d6a0bba35a07e7950178cadebdfc6a2004124cc8366f58b699c266","at":"2026-11-18T02:35:11.625Z","call":"12f95ed1-8c40-4682-acd4-428902096f1f","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"read","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":38,"sequence_no":38,"tool":"server_ping","v":1}', '52e2273fba3765192bfef345ae7852794cac41bd69e7fd3d2a8c6f58e566b4a5');
INSERT INTO actions VALUES (4294967335, 'ceea6f6375fa1f73ab9a414dab78a9af', 39, 34, 'call.exit', 'server_ping', '2026-11-18T02:35:11.635Z', '{"at":"2026-11-18T02:35:11.635Z","call":"b5b81ba0-23c4-48f5-bd60-065f2143e972","duration_us":10662,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"c7d40c3c83059caf74b051aa8b6009b2a8982867856e6f6e214ed84e98bbad6e","seq":39,"sequence_no":34,"tool":"server_ping","v":1}', '1dda6daf1ff0e208179d914f14aced8dcd4b03d9215b99e66e031272e7d3fee3');
INSERT INTO actions VALUES (4294967336, 'ceea6f6375fa1f73ab9a414dab78a9af', 40, 36, 'call.exit', 'server_ping', '2026-11-18T02:35:11.635Z', '{"at":"2026-11-18T02:35:11.635Z","call":"10c28402-2709-4123-bc4b-6915d43a5f25","duration_us":10615,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"095b3817ea4642f48a222de7b5233d351c65b4f5f7710b1f3bad99335023a396","seq":40,"sequence_no":36,"tool":"server_ping","v":1}', 'be4f251c99065376e4ca9c2f62cbb61685f1d21c41544b78797b2b8595919f4e');
INSERT INTO actions VALUES (4294967337, 'ceea6f6375fa1f73ab9a414dab78a9af', 41, 38, 'call.exit', 'server_ping', '2026-11-18T02:35:11.635Z', '{"at":"2026-11-18T02:35:11.635Z","call":"12f95ed1-8c40-4682-acd4-428902096f1f","duration_us":10586,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"bdb46eb11f6cc00bc4b4f0194b33846699572a6ffc70d05582f6eca8ee3f2049","seq":41,"sequence_no":38,"tool":"server_ping","v":1}', '4201daa544a640bcdf8d79fbcb0d170f03468e21a421f1d53ce33df6f2030df0');
INSERT INTO actions VALUES (4294967338, 'ceea6f6375fa1f73ab9a414dab78a9af', 42, 33, 'call.exit', 'task_list', '2026-11-18T02:35:11.635Z', '{"at":"2026-11-18T02:35:11.635Z","call":"b214d3d9-930e-4383-87d6-ed9a28ee7aec","duration_us":11795,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"7da11642a7f1f4aa1a24d59a0a83345f66b5ef0f5a17278655e0a25aeb2c5115","seq":42,"sequence_no":33,"tool":"task_list","v":1}', '95631f43337aa4fbd7b414e78ef293a433d5ccb89d3cb797c25d8cfff71b8ebd');
INSERT INTO actions VALUES (4294967339, 'ceea6f6375fa1f73ab9a414dab78a9af', 43, 35, 'call.exit', 'task_list', '2026-11-18T02:35:11.637Z', '{"at":"2026-11-18T02:35:11.637Z","call":"cf8d1aaa-39b8-45db-9576-938a351796f7","duration_us":12701,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"44ccd8c762fb94d759637d024eb93d87207267c944d2f2eec4e6377222ead708","seq":43,"sequence_no":35,"tool":"task_list","v":1}', '00394755286d7d653a774ded3a487712b981f77d2cd58323986341c93fb690c5');
INSERT INTO actions VALUES (4294967340, 'ceea6f6375fa1f73ab9a414dab78a9af', 44, 37, 'call.exit', 'task_list', '2026-11-18T02:35:11.637Z', '{"at":"2026-11-18T02:35:11.637Z","call":"10b94f83-18ad-4fb9-9b10-164f8a7378b0","duration_us":12692,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"848ff224924caf55dce51a216c311094998d3ee49dbcba7536e2841a3e8e5741","seq":44,"sequence_no":37,"tool":"task_list","v":1}', 'd64c9e40ccf71288fd45bb3462aa811f274a43aa088615e144e42b03da6f34d3');
INSERT INTO actions VALUES (4294967341, 'ceea6f6375fa1f73ab9a414dab78a9af', 45, 45, 'call.enter', 'task_update', '2026-11-18T02:35:11.638Z', '{"args":"stored","args_bytes":36,"args_digest":"22c40d28031aed27c3093ddb827ab467865b9577b9b4d2b80cf4729eeaab7b24","at":"2026-11-18T02:35:11.638Z","call":"1a77a4f0-9d5a-41de-bdc8-3c828ae04049","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"write","instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":45,"sequence_no":45,"tool":"task_update","v":1}', '334f3dbfbdec9a913dc41e9b798afc0a4b1213737e8f391850ac5024ba74ab99');
INSERT INTO actions VALUES (4294967342, 'ceea6f6375fa1f73ab9a414dab78a9af', 46, 45, 'call.exit', 'task_update', '2026-11-18T02:35:11.643Z', '{"at":"2026-11-18T02:35:11.643Z","call":"1a77a4f0-9d5a-41de-bdc8-3c828ae04049","code":"ERR_INVALID_TRANSITION","duration_us":5133,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"domain_error","result_digest":"a9bb4cb881a9d36223840cbc437f80340c780cf549691e1583f4a25970e48313","seq":46,"sequence_no":45,"tool":"task_update","v":1}', 'e9bf06f52fbceadbd8bb58ead88858ef894dbf9674606b7f9287ef995c794d7b');
INSERT INTO actions VALUES (4294967343, 'ceea6f6375fa1f73ab9a414dab78a9af', 47, 47, 'call.enter', 'no_such_tool', '2026-11-18T02:35:11.645Z', '{"args":"empty","at":"2026-11-18T02:35:11.645Z","call":"e3e36b78-09db-4259-97b9-dc7591633286","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":47,"sequence_no":47,"tool":"no_such_tool","v":1}', '2b8c9f61d2cf2a751f1c8196a3a0f853ab5874b75e6ed02c2fe351403c12bcb2');
INSERT INTO actions VALUES (4294967344, 'ceea6f6375fa1f73ab9a414dab78a9af', 48, 47, 'call.exit', 'no_such_tool', '2026-11-18T02:35:11.645Z', '{"at":"2026-11-18T02:35:11.645Z","call":"e3e36b78-09db-4259-97b9-dc7591633286","code":"TOOL_NOT_FOUND","duration_us":360,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"rejected","seq":48,"sequence_no":47,"tool":"no_such_tool","v":1}', '11a2e4a50cc755b1b2dc612ad85986b06a09b3c89b0e8241ecc5b7214d6c9c05');
INSERT INTO actions VALUES (4294967345, 'ceea6f6375fa1f73ab9a414dab78a9af', 49, NULL, 'seal', NULL, '2026-11-18T02:35:11.658Z', '{"at":"2026-11-18T02:35:11.658Z","genesis_hash":"b5617bf7cd4c1bfb4ee9617f75b9030c7190e3c5c3ad93a9d9c00e1d8dc5e6b8","kind":"seal","log":"ceea6f6375fa1f73ab9a414dab78a9af","record_count":1,"root":"b574c82815e8ce3040697711feea8bcbd47759af53afc7280de376ddbeb6b2e3","seq":49,"session_id":"01a1ec82-1982-79a5-a327-356e27426c40","subjects":[{"digest":"8c46fe1c61f2c076d4acd3de86e196fe0a878d88ccaa07c6354975ca8157100b","id":"01a1ec82-1982-79a5-a327-356e27426c40","rev":2,"type":"session"}],"v":1}', 'c04bc9b3482bcf6efc586e478e9acd5b396054255b57ecacad7d7efdad9187b6');
INSERT INTO actions VALUES (4294967346, 'ceea6f6375fa1f73ab9a414dab78a9af', 50, NULL, 'shutdown', NULL, '2026-11-18T02:35:11.659Z', '{"abandoned":0,"at":"2026-11-18T02:35:11.659Z","drained":0,"instance":"01a1ec82-1930-7ce9-916e-94317435ae8c","kind":"shutdown","log":"ceea6f6375fa1f73ab9a414dab78a9af","reason":"stdin closed","seq":50,"v":1}', 'd23155e95a96a5118b863a9f8f5f5942c47044aac56d610ed20b1231313d4fd7');
INSERT INTO actions VALUES (4294967347, 'ceea6f6375fa1f73ab9a414dab78a9af', 51, NULL, 'boot', NULL, '2026-11-18T02:35:13.119Z', '{"at":"2026-11-18T02:35:13.119Z","config_digest":"04459db0b0cc47ae6da5b82d993ba1874b36fb2c578e677baca052c6bb2e00d4","instance":"01a1ec82-1f57-7d1a-b15e-8660cbd86589","kind":"boot","log":"ceea6f6375fa1f73ab9a414dab78a9af","machine_boot":"73ab1cdf-086f-4363-91c5-a8d36baeaa98","mode":"FULL","node":"host/user","os_user":"user","pid":2283,"project":null,"seq":51,"v":1,"version":"0.1.0"}', '4ac9d3085745ee5e9dcad91fd2fb467aef0b4956e3e2a21614740bd4025879d6');
INSERT INTO actions VALUES (4294967348, 'ceea6f6375fa1f73ab9a414dab78a9af', 52, 52, 'call.enter', 'server_ping', '2026-11-18T02:35:13.188Z', '{"args":"empty","at":"2026-11-18T02:35:13.188Z","call":"2dd8adee-30cf-430d-bee6-d9807c865e56","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"read","instance":"01a1ec82-1f57-7d1a-b15e-8660cbd86589","kind":"call.enter","log":"ceea6f6375fa1f73ab9a414dab78a9af","seq":52,"sequence_no":52,"tool":"server_ping","v":1}', 'c65f6e3bc5d9695c1d327b95a9323f2c20e3e7ebc2de0d411788b24ad79d8cdb');
INSERT INTO actions VALUES (4294967349, 'ceea6f6375fa1f73ab9a414dab78a9af', 53, 52, 'call.exit', 'server_ping', '2026-11-18T02:35:13.196Z', '{"at":"2026-11-18T02:35:13.196Z","call":"2dd8adee-30cf-430d-bee6-d9807c865e56","duration_us":8173,"kind":"call.exit","log":"ceea6f6375fa1f73ab9a414dab78a9af","outcome":"ok","result_digest":"074e33144b2058ce1570c267e594b8e0be7b8b37f0ff6753091f366a053855a5","seq":53,"sequence_no":52,"tool":"server_ping","v":1}', '880e23e4f76f47fee799e3026d517f0ce6b26d246a77dc19f0b2db8f4250de04');
INSERT INTO actions VALUES (4294967350, 'ceea6f6375fa1f73ab9a414dab78a9af', 54, NULL, 'shutdown', NULL, '2026-11-18T02:35:13.211Z', '{"abandoned":0,"at":"2026-11-18T02:35:13.211Z","drained":0,"instance":"01a1ec82-1f57-7d1a-b15e-8660cbd86589","kind":"shutdown","log":"ceea6f6375fa1f73ab9a414dab78a9af","reason":"stdin closed","seq":54,"v":1}', 'eb80305cf69a6edc1cc484d3e5186f3648f4bba0e1d98441dcbb1ec3106911fa');
INSERT INTO actions VALUES (8589934592, 'b7225148701b3b3e3e8cf4d3b57a5f1b', 0, NULL, 'boot', NULL, '2026-11-18T02:35:12.494Z', '{"at":"2026-11-18T02:35:12.494Z","config_digest":"04459db0b0cc47ae6da5b82d993ba1874b36fb2c578e677baca052c6bb2e00d4","instance":"01a1ec82-1cc9-7b47-bdcc-c5c8dd5d4dd6","kind":"boot","log":"b7225148701b3b3e3e8cf4d3b57a5f1b","machine_boot":"73ab1cdf-086f-4363-91c5-a8d36baeaa98","mode":"FULL","node":"elsewhere/user","os_user":"user","pid":2230,"project":null,"seq":0,"v":1,"version":"0.1.0"}', '0788d66b7d5d1ce01697aad6d681508756d3de616005c43b8eabd94748bea5d0');
INSERT INTO actions VALUES (8589934593, 'b7225148701b3b3e3e8cf4d3b57a5f1b', 1, 1, 'call.enter', 'server_ping', '2026-11-18T02:35:12.507Z', '{"args":"stored","args_bytes":7,"args_digest":"3882224119a4085e8555574052ce12ca14ac822f65011844703dbf1f3f4d3be5","at":"2026-11-18T02:35:12.507Z","call":"8740ebfa-e28a-4c43-b1a6-6082009e9a0c","client":{"name":"raw","protocol":"2025-06-18","version":"1.0"},"effect":"read","instance":"01a1ec82-1cc9-7b47-bdcc-c5c8dd5d4dd6","kind":"call.enter","log":"b7225148701b3b3e3e8cf4d3b57a5f1b","seq":1,"sequence_no":1,"tool":"server_ping","v":1}', '56c332b758c63e43f81825706d55f9e6e1bf6c7eca3777ff18a49c0e6261bc5f');
INSERT INTO actions VALUES (8589934594, 'b7225148701b3b3e3e8cf4d3b57a5f1b', 2, 1, 'call.exit', 'server_ping', '2026-11-18T02:35:12.509Z', '{"at":"2026-11-18T02:35:12.509Z","call":"8740ebfa-e28a-4c43-b1a6-6082009e9a0c","duration_us":2556,"kind":"call.exit","log":"b7225148701b3b3e3e8cf4d3b57a5f1b","outcome":"ok","result_digest":"ef2f5191b018bdc5da0599cd7698e0632acd50211a0559a0bda9c8c051c283f5","seq":2,"sequence_no":1,"tool":"server_ping","v":1}', '68b6092127a92618c9e2e99cee2fa08f3f3daff12210a0453e4b8f999fe89272');
INSERT INTO actions VALUES (8589934595, 'b7225148701b3b3e3e8cf4d3b57a5f1b', 3, NULL, 'shutdown', NULL, '2026-11-18T02:35:12.512Z', '{"abandoned":0,"at":"2026-11-18T02:35:12.512Z","drained":0,"instance":"01a1ec82-1cc9-7b47-bdcc-c5c8dd5d4dd6","kind":"shutdown","log":"b7225148701b3b3e3e8cf4d3b57a5f1b","reason":"stdin closed","seq":3,"v":1}', '770bd3e2463de9fc0680f7b8fb976671fe96d9436db84d9e99e62c2ee3e33282');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 5, '3f5ad5182d57591c4dada8bd4b9d342a', '{"idempotency_key":"k1","priority":"high"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 7, '6f630e1f8bde6f7246e17c6186072f8d', '{"idempotency_key":"k1","priority":"high"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 9, 'c6ddbf9e727064bad4580c12bc1f12af', '{"depends_on":["T-0001"]}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 13, '9a8af78fe97f17aeb165f90722c32c6f', '{"claim_by":"agent-1"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 15, 'ae283446f5c801f278a335993209e130', '{"status":"GATHER","task_id":"T-0001"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 17, '5d080c91997cb2a84460a83251c15868', '{"status":"ANALYZE","task_id":"T-0001"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 19, '2cf341b26165902dc779c638146a72cc', '{"status":"PLAN","task_id":"T-0001"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 21, '22e421be027847befc247d53b832fd2d', '{"status":"APPLY","task_id":"T-0001"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 23, 'cf9d54c75ca6454d81c154ab0b5d3fa5', '{"status":"VERIFY","task_id":"T-0001"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 25, '9b342b8be1fa825afb5da43fe9b941ef', '{"status":"DONE","task_id":"T-0001"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 27, 'f3d63eb07ae96866a5bf97aa0cfee867', '{"claim_by":"agent-2"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 29, '2774685181bdfb181f05df947aa1381a', '{"status":"GATHER","task_id":"T-0002"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 31, 'ad296b29b71334c75831514b810e5812', '{"type":"decision"}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 33, '521d0f29de3f62bf375639c653006c85', '{"limit":1}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 34, '9ab7d564fe2f580cddc929a0753eea49', '{"n":1}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 35, '42854ad949b82ec29d82068fd40bb03f', '{"limit":3}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 36, 'a46a15e9fa65dc234d188e8e631cbcd4', '{"n":3}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 37, 'e11ee73f4a496df97eadfa3647032db5', '{"limit":5}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 38, 'b7dececd2352b0675b5df01a8469ab15', '{"n":5}');
INSERT INTO payloads VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 45, '57d71c189156e77dd13fdba2d9469685', '{"status":"DONE","task_id":"T-0002"}');
INSERT INTO payloads VALUES ('b7225148701b3b3e3e8cf4d3b57a5f1b', 1, '71b5e326e31268876324931375382d40', '{"n":1}');
INSERT INTO tasks VALUES (1, 'first', 'with dots…', NULL, 'INIT', 'high', 'agent-1', 1, 2, '2026-11-18T02:35:11.579Z', '2026-11-18T02:35:11.589Z', 'k1', '7817f15f011708381ca7b42e2f8ac5363d2f84395703a1901240da80381a52db', 5, 'ae0e5d127ddd8815941cda4d4503fb4d', 'ceea6f6375fa1f73ab9a414dab78a9af', 14, 0, 1, 0, 1, 5, 'first
with dots…');
INSERT INTO tasks VALUES (2, 'second', NULL, NULL, 'GATHER', 'normal', NULL, 1, 2, '2026-11-18T02:35:11.585Z', '2026-11-18T02:35:11.611Z', NULL, NULL, 9, 'b080e9263132734df07ea847443a10d2', 'ceea6f6375fa1f73ab9a414dab78a9af', 30, 1, 0, 0, 2, 4, 'second
');
INSERT INTO tasks VALUES (3, 'third', NULL, NULL, 'INIT', 'normal', 'agent-2', 1, 2, '2026-11-18T02:35:11.587Z', '2026-11-18T02:35:11.609Z', NULL, NULL, 11, '4d39992489efb3a9378b045e14378be1', 'ceea6f6375fa1f73ab9a414dab78a9af', 28, 0, 1, 0, 2, 5, 'third
');
INSERT INTO task_dependencies VALUES (2, 1);
INSERT INTO leases VALUES (1, 1000001, 'agent-1', '2026-11-18T03:05:11.589Z', 30, 0, 1, '677b0bf2d7e9873b0479101449ab8cd5', 'ceea6f6375fa1f73ab9a414dab78a9af', 14, 1);
INSERT INTO leases VALUES (3, 3000001, 'agent-2', '2026-11-18T03:05:11.609Z', 30, 0, 1, 'fe875192b051009d9ea9fe0dc87d788e', 'ceea6f6375fa1f73ab9a414dab78a9af', 28, 1);
INSERT INTO sessions VALUES ('01a1ec82-197b-7eb8-a645-c55b1babfa9f', 'second', 'T-0002', 'raw', 'colibri', '2026-11-18T02:35:11.611Z', '4683976a723e22b961fe4002ce75bb805305c62c9bd3c07eedca626b4dc27b2f', NULL, NULL, NULL, 1, 'b8d4475b37e1a062c836f0a9de45e9c8', 'ceea6f6375fa1f73ab9a414dab78a9af', 30);
INSERT INTO sessions VALUES ('01a1ec82-1982-79a5-a327-356e27426c40', 'Thoughts outside any open task', NULL, 'raw', 'colibri 01a1ec82-1930-7ce9-916e-94317435ae8c', '2026-11-18T02:35:11.618Z', 'b5617bf7cd4c1bfb4ee9617f75b9030c7190e3c5c3ad93a9d9c00e1d8dc5e6b8', '2026-11-18T02:35:11.658Z', 'b574c82815e8ce3040697711feea8bcbd47759af53afc7280de376ddbeb6b2e3', 1, 2, '98f41f691b31937a0d80e52ffb48cf08', 'ceea6f6375fa1f73ab9a414dab78a9af', 49);
INSERT INTO thoughts VALUES ('01a1ec82-197b-7f23-aa30-f22934e9b130', '01a1ec82-197b-7eb8-a645-c55b1babfa9f', 0, 'analysis', 'T-0002', 'raw', NULL, NULL, 'ec52ca1a20aa820bab387651647b55de2faa01ff4ef58282191d915dcc0d2adc', '2026-11-18T02:35:11.611Z', '4683976a723e22b961fe4002ce75bb805305c62c9bd3c07eedca626b4dc27b2f', 'fa4d07c1fde1a32e42e5b2244eadcdab9117db6c32042989a1cefe6c8b5691d6', 'begun', '1fbff65d5bfc33e279e471f5a91b79f6', NULL, NULL, 'ceea6f6375fa1f73ab9a414dab78a9af', 30, 1);
INSERT INTO thoughts VALUES ('01a1ec82-1982-7f9e-8000-30b7c68c1ff9', '01a1ec82-1982-79a5-a327-356e27426c40', 0, 'decision', NULL, 'raw', NULL, NULL, 'a7537f23dd71a0ecca15b0735f30e07f356bb952eed6a6989d18da7be969a41f', '2026-11-18T02:35:11.618Z', 'b5617bf7cd4c1bfb4ee9617f75b9030c7190e3c5c3ad93a9d9c00e1d8dc5e6b8', 'b574c82815e8ce3040697711feea8bcbd47759af53afc7280de376ddbeb6b2e3', 'a thought of its own', '2d6e3b7fa25dfde20d8a72fdaa9fb274', NULL, NULL, 'ceea6f6375fa1f73ab9a414dab78a9af', 32, NULL);
INSERT INTO checkpoints VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 1, 51, 'colibri.dev/log/ceea6f6375fa1f73ab9a414dab78a9af
51
wlR0HzbjHWfhOvr0v+jPoydXewB8C9KnsjUftbusJ/Q=

— colibri.dev/log/ceea6f6375fa1f73ab9a414dab78a9af 3dSrh+EbKWy7RlFU3rCA2M/LTDfSzV11eAIPqdoCrXOBK6qojB/Uyo88rlHMA69QfzTGOOKsKg2PrmZJVsOUcjfSlAU=
');
INSERT INTO checkpoints VALUES ('b7225148701b3b3e3e8cf4d3b57a5f1b', 1, 4, 'colibri.dev/log/b7225148701b3b3e3e8cf4d3b57a5f1b
4
HSnzu8XUrlDkK6POjtAEJPPqfob7DQr5S7T/jy0K7dY=

— colibri.dev/log/b7225148701b3b3e3e8cf4d3b57a5f1b dPVdHIqWHpS31uNgke8WBM0LD/0fR8EowegPHg86VuBFObffQ5znkpH2+gbxX0/Q915zRjVjOv3ffj5cLuBi7nwZBAM=
');
INSERT INTO checkpoints VALUES ('ceea6f6375fa1f73ab9a414dab78a9af', 2, 55, 'colibri.dev/log/ceea6f6375fa1f73ab9a414dab78a9af
55
6WebLtgyfNFvMFcgmfW+H4/Mmw/79is7Fm+LnndIjuc=

— colibri.dev/log/ceea6f6375fa1f73ab9a414dab78a9af 3dSrh0gvdS+LjxV/7xeGVHhlSesMC+WoGu34Y0niNuFSpGHOM6Mqd60PgFc2gJuW+VHsx8/cQGw3GVcs7Rz0CANNYQw=
');
