#!/usr/bin/env python3
"""An independent verifier of Colibri stores, written from its documents alone (Python 3.11, standard library only).

    python3 verify.py <colibri.db> [--heads <dir>] [--json]

Exit codes: 0 nothing found; 10 something is missing or unsigned, and explained; 20 a contradiction; 30 could not be judged.

Not checked:
- `head_mac` (needs the private key); only its form, and that it is null only where the documents allow it.
- Whether a process is alive: every open log is judged as if nobody writes it.
- `config_digest`, `digest` of `config` records, `result_digest` (receipts): their inputs are not in the store.
- Digests of revisions of a row before the newest (row and salt are overwritten).
- `health` transitions (the machine is not repeated), `route`, `names` given as a digest.
- `attempt` of a thought whose record has no `attempt` but whose task is set (before format 5).
- Whether this file is a copy of the store that the heads know (device and inode), beyond a note.
- Of a store of a newer format: all but the file, the logs with their records and trees, checkpoints, heads and missing logs.
- Tables that no document describes: instances, server_states, server_eras, projects, sqlite_sequence.
- The schema is compared with the digest of the schema of healthy stores.
- The clock: `at` is never compared, as the documents say (except where a column repeats it).
"""
import base64, datetime, hashlib, json, os, re, shutil, socket, sqlite3, sys, tempfile
from collections import defaultdict

APPLICATION_ID = 1131375721          # observed, not documented
FORMAT = 11                           # the newest format that this verifier knows
CHECKSUMS = {                        # of the migrations, from the table in the document
    1: '165939d39e9f3baba064103003788257cf8d5f86f2635c0669304be89283a1e6',
    2: '59815edbfcf846811c8bbcda2d02c61a469260b64c1115bbf304419fa4ac0b78',
    3: 'af25944ed25412f14867f3f8d243791e5c60ac5fa126d2fc9987b66f51e062ad',
    4: '7750d000c8d3abc74120b5ccf4b106b0e20b6cff072e3aa4a1d49aae59bbb828',
    5: '751a05b3fa4c6d94ebf478d28f4f4c826c104adbcce8f52a0b9566c5bcc1d2e3',
    6: 'e46531d423046c4784a1545dedebaa84dc62d195af28060e2b25be322f159a09',
    7: '334e468016e31672c8d2b278bf13dd71c3fb660741c968820d887789cc5c6d90',
    8: '84187faeb99597e79a3894f2e9371939c30d5abed29ee063bdac6cd48d0b62a3',
    9: '1b339845d853c15fef58dbc25479dc48f6d24904e4a3ccde009949b1a8dbfdf5',
    10: '1fc022be9a00599553f7078f4d580be699513542a133a32c498ff523d28dec1d',
    11: '79ee1b0828e32b7de063f83f65c1979245da9f7ab43dfc0532385b5dfdffd69d',
}
SCHEMA = '2fc2f1ae711415b6'          # observed: first digits of the SHA-256 of the sorted SQL, joined by LF

# ---------------------------------------------------------------- small helpers

def raw(text):
    return text.encode('utf-8', 'surrogateescape')

def sha(*parts):
    return hashlib.sha256(b''.join(parts)).hexdigest()

def is_hex(value, digits):
    return isinstance(value, str) and re.fullmatch('[0-9a-f]{%d}' % digits, value) is not None

def is_count(value):
    return type(value) is int and 0 <= value < 2 ** 53

def salted(salt, text):
    """SHA-256(salt || text); the salt is 16 bytes, written in hex."""
    return sha(bytes.fromhex(salt), raw(text)) if is_hex(salt, 32) and isinstance(text, str) else None

# ---------------------------------------------------------------- RFC 8785

def es_number(value):
    """A number as ECMAScript writes it."""
    if type(value) is int and abs(value) <= 2 ** 53:
        return str(value)
    value = float(value)
    if value != value or value in (float('inf'), float('-inf')):
        raise ValueError('not a number of JSON')
    if value == 0:
        return '0'
    sign = '-' if value < 0 else ''
    mantissa, _, exponent = ('%r' % abs(value)).partition('e')
    whole, _, part = mantissa.partition('.')
    part = '' if part == '0' else part
    point = len(whole) + int(exponent or 0)
    digits = whole + part
    point -= len(digits) - len(digits.lstrip('0'))
    digits = digits.strip('0')
    if len(digits) <= point <= 21:
        return sign + digits + '0' * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + '.' + digits[point:]
    if -6 < point <= 0:
        return sign + '0.' + '0' * -point + digits
    power = point - 1
    return sign + digits[0] + ('.' + digits[1:] if digits[1:] else '') + 'e' + ('+' if power > 0 else '-') + str(abs(power))

def es_string(text):
    text.encode('utf-8')             # raises for lone surrogates
    short = {8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 34: '\\"', 92: '\\\\'}
    return '"' + ''.join(short.get(ord(c)) or ('\\u%04x' % ord(c) if ord(c) < 32 else c) for c in text) + '"'

def jcs(value):
    if value is None or value is True or value is False:
        return {None: 'null', True: 'true', False: 'false'}[value]
    if isinstance(value, str):
        return es_string(value)
    if isinstance(value, (int, float)):
        return es_number(value)
    if isinstance(value, list):
        return '[' + ','.join(map(jcs, value)) + ']'
    keys = sorted(value, key=lambda key: key.encode('utf-16-be'))
    return '{' + ','.join(es_string(key) + ':' + jcs(value[key]) for key in keys) + '}'

def parse_canonical(text):
    """The value of a JCS text; None if it is not one."""
    def pairs(items):
        if len(dict(items)) != len(items):
            raise ValueError('a key twice')
        return dict(items)
    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=lambda word: float('nan'))
        return value if jcs(value) == text else None
    except (ValueError, RecursionError, TypeError):
        return None

def depth(value):
    if not isinstance(value, (list, dict)):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)

def is_canonical(text):
    value = parse_canonical(text)
    return (value is not None or text == 'null') and depth(value) <= 1000

# ---------------------------------------------------------------- RFC 6962

def node(left, right):
    return hashlib.sha256(b'\x01' + left + right).digest()

class Tree:
    """The tree over the leaves of one log; complete subtrees are remembered."""
    def __init__(self, leaves):
        self.levels = [leaves]
        while len(self.levels[-1]) > 1:
            below = self.levels[-1]
            self.levels.append([node(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)])

    def frontier(self, size):
        hashes, start = [], 0
        for level in range(size.bit_length() - 1, -1, -1):
            if size >> level & 1:
                hashes.append(self.levels[level][start >> level])
                start += 1 << level
        return hashes

    def root(self, size):
        hashes = self.frontier(size)
        if not hashes:
            return hashlib.sha256(b'').hexdigest()
        result = hashes.pop()
        while hashes:
            result = node(hashes.pop(), result)
        return result.hex()

# ---------------------------------------------------------------- Ed25519 (RFC 8032)

P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
I = pow(2, (P - 1) // 4, P)

def add(a, b):
    A, B = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    C, E = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = B - A, E - C, E + C, B + A
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(number, point):
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result

def decode_point(data):
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * I % P
    if (x * x - xx) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P

BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little'))

def ed25519(key, message, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = decode_point(key), decode_point(signature[:32]), int.from_bytes(signature[32:], 'little')
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), 'little') % L
    x, y = times(s, BASE), add(r, times(h, a))
    return (x[0] * y[2] - y[0] * x[2]) % P == 0 and (x[1] * y[2] - y[1] * x[2]) % P == 0

# ---------------------------------------------------------------- signed statements, and RFC 9381

def jcs_object(text):
    value = parse_canonical(text) if isinstance(text, str) else None
    return value if isinstance(value, dict) else None

def log_of(key):
    return hashlib.sha256(bytes.fromhex(key)).hexdigest()[:32]

def statement(text):
    """(body, key, SHA-256 of the text) of a signed statement; None if it is not one."""
    value = jcs_object(text)
    if value is None or set(value) != {'body', 'key', 'sig'} or not is_hex(value['key'], 64):
        return None
    signature = unbase64(value['sig'])
    if signature is None or not ed25519(bytes.fromhex(value['key']), jcs(value['body']).encode(), signature):
        return None
    return value['body'], value['key'], sha(text.encode())

def encode_point(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, 'little')

def vrf_output(key, source, proof):
    """RFC 9381 section 5.3, ECVRF-EDWARDS25519-SHA512-TAI: the output that a proof proves; None if it proves none."""
    public, gamma = decode_point(key), decode_point(proof[:32])
    c, s = int.from_bytes(proof[32:48], 'little'), int.from_bytes(proof[48:], 'little')
    if public is None or gamma is None or len(proof) != 80 or s >= L:
        return None
    for counter in range(256):
        base = decode_point(hashlib.sha512(b'\x03\x01' + key + source + bytes([counter]) + b'\0').digest()[:32])
        if base is not None:
            break
    base = times(8, base)
    minus = lambda point: (P - point[0], point[1], point[2], P - point[3])
    u, v = add(times(s, BASE), minus(times(c, public))), add(times(s, base), minus(times(c, gamma)))
    challenge = hashlib.sha512(b'\x03\x02' + b''.join(map(encode_point, (public, base, gamma, u, v))) + b'\0').digest()[:16]
    return hashlib.sha512(b'\x03\x03' + encode_point(times(8, gamma)) + b'\0').digest() if int.from_bytes(challenge, 'little') == c else None

# ---------------------------------------------------------------- checkpoints

def unbase64(text):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None

NOTE = re.compile(r'(colibri\.dev/log/([0-9a-f]{32})\n(0|[1-9][0-9]*)\n([A-Za-z0-9+/=]{44})\n)\n\u2014 (\S+) ([A-Za-z0-9+/=]+)\n')

def key_id(name, key):
    return hashlib.sha256(name.encode() + b'\n\x01' + key).digest()[:4]

def read_note(note, log_id, key, cache={}):
    """(size, root in hex) of a checkpoint that this key signed, or a sentence why it is none."""
    if (note, key) not in cache:
        cache[note, key] = judge_note(note, log_id, key)
    return cache[note, key]

def judge_note(note, log_id, key):
    match = NOTE.fullmatch(note)
    if not match:
        return 'is not a checkpoint'
    text, log, size, root, name, signature = match.groups()
    root, signature = unbase64(root), unbase64(signature)
    if log != log_id or name != 'colibri.dev/log/' + log_id:
        return 'is of another log'
    if root is None or len(root) != 32 or signature is None or len(signature) != 68:
        return 'is not canonical'
    if signature[:4] != key_id(name, key) or not ed25519(key, text.encode(), signature[4:]):
        return 'has a wrong signature'
    return int(size), root.hex()

def key_of_vkey(vkey):
    match = re.fullmatch(r'(colibri\.dev/log/[0-9a-f]{32})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)', vkey)
    data = unbase64(match[3]) if match else None
    if data is None or len(data) != 33 or data[0] != 1:
        return None
    right = key_id(match[1], data[1:]).hex() == match[2] and match[1].endswith('/' + sha(data[1:])[:32])
    return data[1:].hex() if right else None

# ---------------------------------------------------------------- shapes of records (the table of audit-format.md)

COMMON = 'v: count, log: hex32, seq: count, kind: text, at: time, store?: hex32, adopted?: count'
KINDS = {
    'migrate': 'from: count, to: count, checksum: digest, logs?: [head]',
    'succeeds': 'previous: hex32, size: count, root: digest',
    'restore': 'previous: hex32, size: count, root: digest, known_size: count, known_root: digest, reason: text',
    'rotate': 'successor: text',
    'boot': 'instance: id, node: text, pid: count, os_user: text, version: text, mode: text, project: text or null, project_id?: text or null, '
            'subjects?: [subject], machine_boot: text or null, config_digest: digest',
    'unassign': 'subjects: [subject]',
    'beside': 'instance: id, logs: [head]',
    'accept': 'what: `missing log` `begun anew` `copy`, logs: [head], path?: text, reason: text, by: text',
    'adopts': 'from: hex32, logs: [head]',
    'moved': 'to: hex32, place: text',
    'call.enter': 'instance: id, sequence_no: count, call: id, tool: text, effect?: `read` `write` `proxy` `open`, check?: flag, client: client or null, '
                  'host?: host, args: `stored` `digest` `empty` `none`, args_digest?: digest, args_bytes?: count, args_salt?: digest, '
                  'definition?: digest, unlisted?: flag, late?: flag, recovered?: flag',
    'call.exit': 'sequence_no: count, call: id, tool: text, outcome: `ok` `domain_error` `rejected` `refused` `failed` `cancelled` `interrupted`, code?: text, '
                 'result_digest?: digest, form?: `json` `bytes`, duration_us?: count, subjects?: [subject], changes?: [step], change?: oldstep, '
                 'texts?: `stored`, texts_digest?: digest, texts_bytes?: count, '
                 'done?: [{task_id: text, version: count}], expired?: [{task_id: text, rev: count}], attempt?: count, replay_of?: count, credits?: [credit], route?: route, '
                 'late?: flag, recovered?: flag',
    'gap': 'count: count, first_at: time, last_at: time, reason: text',
    'seal': 'session_id: text, genesis_hash: digest, root: digest, record_count: count, subjects: [subject]',
    'erase': 'targets: [{type: `thought` `payload` `definition`, id: text}], reason: text, by: text',
    'prune': 'before: time, of?: hex32, from_seq: count, to_seq: count, count: count',
    'health': 'instance: id, server: text, from: text, to: text or null, cause: text, detail?: text or null, event: anything, before: anything, now_ms: number, '
              'texts?: `stored`, texts_digest?: digest, texts_bytes?: count',
    'catalogue': 'instance: id, server: text, digest: digest, added: names, removed: names, changed: names, '
                 'digests?: [{tool: text, before?: digest, after?: digest}] or {count: count, digest: digest}, subjects: [subject]',
    'definition': 'instance: id, subjects: [subject]',
    'approval': 'approval_id: text, state: `asked` `granted` `denied` `used` `expired`, call?: id, server: text, tool: text, args_digest: digest, '
                'definition: digest, by: text or null, via: `elicitation` `command` `client` `quorum` or null, claimed?: flag, reason?: text, round?: text, '
                'instance: id, expires_at: time, subjects: [subject]',
    'decided': 'instance: id, round_id: text, root: digest, result: `approve` `reject`, approve: count, reject: count, abstain: count, subjects: [subject]',
    'voter': 'name: text, state: `enrolled` `revoked`, public_key: digest, by: text, subjects: [subject]',
    'asked': 'instance: id, server: text, method: text, call: id or null',
    'config': 'instance: id, what: `switchboard`, digest: digest, added: names, removed: names, changed: names',
    'shutdown': 'instance: id, reason: text, drained: count, abandoned: count',
}
WORDS = {
    'subject': '{type: `task` `lease` `session` `thought` `catalogue` `adoption` `replay` `definition` `approval` `round` `vote` `voter` `heard`, id: text, rev: count, digest: digest}',
    'head': '{log: hex32, size: count, root: digest}',
    'client': '{name: text, version: text, protocol: text}',
    'host': '{conversation?: text, turn?: text, model?: text, agent?: text}',
    'step': '{task_id: text, from: text, to: text, version: count, attempt: count, because?: text, thought?: text}',
    'oldstep': '{task_id: text, from: text, to: text, version: count, attempt: count, because?: text}',
    'route': '{name: text or null, candidates: [candidate], attempts: [attempt]}',
    'candidate': '{server: text, tool: text, state: text or null, eligible: truth, reason?: text}',
    'attempt': '{server: text, tool: text, how: `result` `is_error` `error` `input` `refused` `timeout` `lost` `server_error` `cancelled` `cut`, '
               'code?: text, sent: truth, duration_ms: count, approval?: text, allowed_by?: [text]}',
    'credit': '{node: text, why: `done` `delivered` `reopened` `cancelled` `expired` `taken` `handed` '
              '`agreed` `disagreed` `silent` `equivocated`}',
    'names': '[text] or {count: count, digest: digest}',
}

def is_time(value):
    try:
        return re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z', value) is not None and bool(datetime.datetime.fromisoformat(value[:-1]))
    except (TypeError, ValueError):
        return False

PLAIN = {
    'text': lambda v: isinstance(v, str), 'id': lambda v: isinstance(v, str) and 1 <= len(v) <= 128,
    'hex32': lambda v: is_hex(v, 32), 'digest': lambda v: is_hex(v, 64), 'time': is_time, 'count': is_count,
    'number': lambda v: type(v) in (int, float) and v >= 0, 'flag': lambda v: v is True, 'truth': lambda v: type(v) is bool,
    'anything': lambda v: True, 'null': lambda v: v is None,
}

def split_top(text, mark):
    """Splits at a mark that is not inside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in '[{') - (c in ']}')
        if depth == 0 and text.startswith(mark, i):
            parts.append(text[start:i])
            start = i + len(mark)
    return [part.strip() for part in parts + [text[start:]]]

def fits(value, shape):
    shape = shape.strip()
    choices = split_top(shape, ' or ')
    if len(choices) > 1:
        return any(fits(value, choice) for choice in choices)
    if shape[0] == '`':
        return isinstance(value, str) and value in re.findall('`([^`]*)`', shape)
    if shape[0] == '[':
        return isinstance(value, list) and all(fits(item, shape[1:-1]) for item in value)
    if shape[0] == '{':
        return isinstance(value, dict) and not wrong_members(value, shape[1:-1])
    return fits(value, WORDS[shape]) if shape in WORDS else PLAIN[shape](value)

def wrong_members(value, shapes):
    """The names of members that are unknown, missing, or of another shape."""
    wrong, known = [], set()
    for member in split_top(shapes, ', '):
        name, shape = member.split(': ', 1)
        optional, name = name.endswith('?'), name.rstrip('?')
        known.add(name)
        if name in value and not fits(value[name], shape) or name not in value and not optional:
            wrong.append(name)
    return wrong + sorted(set(value) - known)

# ---------------------------------------------------------------- the audit

ARROWS = {('INIT', 'GATHER'), ('GATHER', 'ANALYZE'), ('ANALYZE', 'PLAN'), ('PLAN', 'APPLY'), ('APPLY', 'VERIFY'), ('VERIFY', 'DONE'), ('VERIFY', 'GATHER')}
ARROWS |= {(state, 'CANCELLED') for state in ('INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY')}
STAGES = {'VERIFY': 0, 'APPLY': 1, 'PLAN': 2, 'ANALYZE': 3, 'GATHER': 4, 'INIT': 5, 'DONE': 9, 'CANCELLED': 9}
RANKS = {'urgent': 0, 'high': 1, 'normal': 2, 'low': 3}
NAMERS = {'task': ('call.exit', 'unassign'), 'lease': ('call.exit',), 'thought': ('call.exit',), 'catalogue': ('catalogue',), 'adoption': ('boot',), 'replay': ('call.exit',),
          'definition': ('definition', 'catalogue'), 'approval': ('approval',), 'round': ('call.exit', 'decided', 'approval'), 'vote': ('call.exit',), 'voter': ('voter',), 'heard': ('call.exit',)}

def task_id(number):
    return 'T-%04d' % number

class Cannot(Exception):
    """The store cannot be judged (30)."""

class Audit:
    def __init__(self, path, heads_dir):
        self.path, self.heads_dir = path, heads_dir
        self.contradictions, self.causes, self.notes = [], [], []
        self.scratch = tempfile.mkdtemp(prefix='auditor-')

    def bad(self, text):
        self.contradictions.append(text)

    def expect(self, right, text):
        if not right:
            self.bad(text)
        return bool(right)

    def ten(self, text):
        if text not in self.causes:
            self.causes.append(text)

    # ---- reading

    def open(self):
        """Works on a copy: nothing of the store is touched, and no rollback journal is played back."""
        if not os.path.isfile(self.path):
            raise Cannot('there is no file ' + self.path)
        copy = os.path.join(self.scratch, 'colibri.db')
        shutil.copyfile(self.path, copy)
        if os.path.exists(self.path + '-wal'):
            shutil.copyfile(self.path + '-wal', copy + '-wal')
        self.db = sqlite3.connect(copy)
        self.db.text_factory = lambda data: data.decode('utf-8', 'surrogateescape')
        self.db.row_factory = sqlite3.Row
        pragma = lambda name: self.db.execute('PRAGMA ' + name).fetchone()[0]
        self.expect(pragma('encoding') == 'UTF-8', 'the texts of the file are not in UTF-8')
        if pragma('application_id') != APPLICATION_ID:
            raise Cannot('not a store of Colibri')
        self.version = pragma('user_version')
        self.newer = self.newer_format()
        if self.newer:
            self.expect(pragma('integrity_check') == 'ok', 'the database file is damaged: %s' % pragma('integrity_check'))
            return True
        sql = sorted(row[0] for row in self.db.execute('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL'))
        if not sha(raw('\n'.join(sql))).startswith(SCHEMA):
            self.bad('the schema is not the one that the migrations made')
            return False
        self.expect(pragma('integrity_check') == 'ok', 'the database file is damaged: %s' % pragma('integrity_check'))
        return True

    def newer_format(self):
        """The format of the store if this verifier does not know it, else 0."""
        plain = {row[0] for row in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE %'")}
        formats = [row[0] for row in self.db.execute('SELECT format FROM logs')] if 'logs' in plain else []
        newest = max([self.version] + [value for value in formats if type(value) is int])
        if newest > FORMAT and not {'logs', 'actions', 'checkpoints', 'tiles'} <= plain:
            raise Cannot('format %d is newer than this verifier' % newest)
        return newest if newest > FORMAT else 0

    def rows(self, table):
        return [dict(row) for row in self.db.execute('SELECT * FROM %s NOT INDEXED ORDER BY rowid' % table)]

    def load(self):
        self.logs = {row['log_id']: row for row in self.rows('logs')}
        self.records = defaultdict(list)           # log_id -> bodies in the order of seq
        actions = defaultdict(list)
        for row in self.rows('actions'):
            actions[row['log_id']].append(row)
        for log_id in set(actions) - set(self.logs):
            self.bad('records of a log that is not in the store: %s' % log_id)
        self.trees = {}
        for log_id, log in self.logs.items():
            self.load_log(log, sorted(actions[log_id], key=lambda row: row['id']))
        identity = self.rows('identity')
        self.expect(self.newer or len(identity) == 1 and is_hex(identity[0]['store_id'], 32), 'identity has not exactly one id')
        self.store_id = identity[0]['store_id'] if identity else None

    def load_log(self, log, rows):
        log_id, leaves = log['log_id'], []
        for place, row in enumerate(rows):
            where = '%s/%s' % (log_id[:8], row['seq'])
            body = parse_canonical(row['body']) if isinstance(row['body'], str) else None
            if not isinstance(body, dict):
                self.bad(where + ': the body is not canonical JSON')
                body = {}
            leaf = hashlib.sha256(b'\0' + raw(str(row['body']))).digest()
            self.expect(leaf.hex() == row['leaf'], where + ': the leaf is not that of the body')
            self.expect(row['seq'] == place and row['id'] == (log['no'] << 32) + place, where + ': seq or id is not dense')
            self.expect(len(raw(str(row['body']))) <= 65535, where + ': the body is too long')
            self.expect(body.get('log') == log_id, where + ': the body is of another log')
            for name in ('seq', 'sequence_no', 'kind', 'tool', 'at'):
                self.expect(row[name] == body.get(name) and type(row[name]) is type(body.get(name)), '%s: column %s is not that of the body' % (where, name))
            if not self.newer:
                self.shape_of(where, body)
            leaves.append(leaf)
            self.records[log_id].append(body)
        self.trees[log_id] = Tree(leaves)

    def shape_of(self, where, body):
        kind = body.get('kind')
        if not self.expect(kind in KINDS, '%s: this format has no records of kind %s' % (where, kind)):
            body['kind'] = 'wrong ' + str(kind)
            return
        wrong = wrong_members(body, COMMON + ', ' + KINDS[kind])
        self.expect(not wrong and body['v'] == 1, '%s: %s with wrong members: %s' % (where, kind, ', '.join(wrong) or 'v'))
        if wrong:                                  # later checks rely on shapes, so the record counts as an unknown one
            body['kind'] = 'wrong ' + str(kind)
            for name in ('subjects', 'changes', 'change', 'done', 'expired', 'logs', 'instance'):
                body.pop(name, None)

    def each(self, *kinds):
        """(log_id, seq, body) of the records of these kinds."""
        for log_id, bodies in self.records.items():
            for seq, body in enumerate(bodies):
                if not kinds or body.get('kind') in kinds:
                    yield log_id, seq, body
                elif body.get('kind') == 'adopts' and 'accept' in kinds:      # its logs are those of an accepted copy
                    yield log_id, seq, dict(body, what='copy')

    # ---- logs, trees, tiles

    def check_logs(self):
        self.expect(self.logs, 'a store without logs')
        open_nodes = [log['node'] for log in self.logs.values() if log['closed_at'] is None]
        self.expect(len(open_nodes) == len(set(open_nodes)), 'two open logs of one node')
        for log_id, log in self.logs.items():
            name, bodies, tree = log_id[:8], self.records[log_id], self.trees[log_id]
            key = log['public_key']
            self.expect(is_hex(key, 64) and sha(bytes.fromhex(key))[:32] == log_id, name + ': the name is not that of its key')
            if not self.expect(log['size'] == len(bodies) and bodies, '%s: size %s, but %d records' % (name, log['size'], len(bodies))):
                log['size'] = len(bodies)
            if not bodies:
                continue
            frontier = ''.join(h.hex() for h in tree.frontier(len(bodies)))
            self.expect(log['frontier'] == frontier, name + ': the frontier is not that of the records')
            self.expect(log['opened_at'] == bodies[0].get('at'), name + ': opened_at is not the at of its first record')
            if self.newer:
                self.check_end(log_id, log)
                continue
            reached = max([body['to'] for body in bodies if body.get('kind') == 'migrate'], default=1)
            self.expect(is_count(log['format']) and reached <= log['format'] <= self.version, name + ': a format that does not fit its records')
            nodes = {body['node'] for body in bodies if body.get('kind') == 'boot'}
            self.expect(nodes <= {log['node']}, name + ': node is not that of its boot records')
            self.check_mac(log)
        self.check_tiles()
        if not self.newer:
            self.check_successors()

    def check_end(self, log_id, log):
        """Of a newer format: the log ended as a record says that is known."""
        for _, seq, body in self.each('succeeds', 'restore'):
            if seq == 0 and body.get('previous') == log_id:
                right = (body.get('at'), body.get('size'), body.get('root')) == (log['closed_at'], log['size'], self.trees[log_id].root(log['size']))
                self.expect(right, log_id[:8] + ': not as its successor says')

    def check_newer(self):
        """A newer format is believed if a record leads to it."""
        reached = any(body.get('to') == self.newer for _, _, body in self.each('migrate'))
        self.expect(reached or self.accepted['missing log'], 'format %d, to which no record leads' % self.newer)
        self.ten('newer format: %d, this verifier knows %d' % (self.newer, FORMAT))

    def check_mac(self, log):
        if log['closed_at'] is not None:
            self.expect(log['head_mac'] is None, log['log_id'][:8] + ': closed, with a head_mac')
        elif log['head_mac'] is None:
            listed = [head['size'] for head in self.before_five() if head['log'] == log['log_id']]
            self.expect(listed == [log['size']], log['log_id'][:8] + ': without head_mac')
        else:
            self.expect(is_hex(log['head_mac'], 64), log['log_id'][:8] + ': head_mac has another form')

    def check_tiles(self):
        found = {(row['log_id'], row['level'], row['idx']): row['hash'] for row in self.rows('tiles')}
        right = {(log_id, level, idx): value.hex() for log_id, tree in self.trees.items()
                 for level, hashes in enumerate(tree.levels) if level >= 8 for idx, value in enumerate(hashes)}
        for key in sorted(set(found.items()) ^ set(right.items()), key=str):
            self.bad('tile %s is wrong, missing or too many' % (key[0],))

    def check_successors(self):
        successors = defaultdict(list)
        for log_id, seq, body in self.each('succeeds', 'restore'):
            if seq == 0:
                successors[body['previous']].append((log_id, body))
        for log_id, log in self.logs.items():
            name, after, last = log_id[:8], successors[log_id], (self.records[log_id] or [{}])[-1]
            self.expect(len(after) <= 1, name + ': several successors')
            self.expect(log['closed_at'] == (after[0][1]['at'] if after else None), name + ': closed_at is not the at of its successor')
            for next_id, body in after:
                self.expect(body['size'] == log['size'] and body['root'] == self.trees[log_id].root(log['size']), name + ': not as its successor says')
                if last.get('kind') == 'rotate':
                    self.expect(any(size == log['size'] for size in self.sizes_of(log_id)), name + ': its rotation is not signed')
                    key = key_of_vkey(last['successor'])
                    self.expect(key == self.logs[next_id]['public_key'], name + ': the successor has not the key that its rotation names')
                elif body['kind'] == 'succeeds' and not self.copied.get(log_id):
                    self.ten('lost key: %s was succeeded by %s without a rotation' % (name, next_id[:8]))
        for previous in set(successors) - set(self.logs):
            self.missing_log(previous, 'a successor names it')

    def sizes_of(self, log_id):
        return [row['size'] for row in self.rows('checkpoints') if row['log_id'] == log_id]

    # ---- heads and checkpoints

    def read_heads(self):
        self.heads, self.store_files, self.headed = defaultdict(list), {}, set()
        if not self.heads_dir:
            self.notes.append('heads: not looked for')
            return
        if not os.path.isdir(self.heads_dir):
            raise Cannot('there is no folder ' + self.heads_dir)
        for log_id in sorted(os.listdir(self.heads_dir)):
            folder = os.path.join(self.heads_dir, log_id)
            if not is_hex(log_id, 32) or not os.path.isdir(folder):
                continue
            for name in sorted(os.listdir(folder)):
                path, text = os.path.join(folder, name), ''
                if os.path.isfile(path):
                    with open(path, 'rb') as file:
                        text = file.read(65536).decode('utf-8', 'replace')
                if name == 'store':
                    self.read_store_file(log_id, text)
                elif re.fullmatch('[1-9][0-9]{0,15}', name):
                    if log_id in self.logs and self.expect(os.path.isfile(path) and not os.path.islink(path), path + ': a head that is not a regular file'):
                        self.heads[log_id].append((int(name), text))
                    self.headed.add(log_id)
                else:
                    self.expect(log_id not in self.logs or not re.fullmatch('[0-9]+', name), path + ': looks like a size and is none')

    def read_store_file(self, log_id, text):
        try:
            value = json.loads(text)
            right = set(value) == {'store_id', 'path', 'host'} and is_hex(value['store_id'], 32)
        except (ValueError, TypeError):
            right = False
        if self.expect(right, log_id[:8] + ': its store file cannot be read'):
            self.store_files[log_id] = value

    def check_checkpoints(self):
        self.signed = defaultdict(int)             # log_id -> newest signed size
        rows = defaultdict(list)
        for row in self.rows('checkpoints'):
            rows[row['log_id']].append(row)
        for log_id in set(rows) - set(self.logs):
            self.bad('checkpoints of a log that is not in the store: %s' % log_id)
        for log_id, log in self.logs.items():
            last = 0
            for place, row in enumerate(sorted(rows[log_id], key=lambda row: row['no']), 1):
                where = '%s: checkpoint %s' % (log_id[:8], row['no'])
                self.expect(row['no'] == place, where + ': not dense')
                note = read_note(row['note'], log_id, bytes.fromhex(log['public_key']))
                if not self.expect(isinstance(note, tuple), '%s %s' % (where, note)):
                    continue
                self.expect(row['size'] == note[0] > last, where + ': size is not that of the note, or does not grow')
                last = max(last, note[0])
                if self.expect(note[0] <= log['size'], where + ': behind the end of the log'):
                    self.expect(note[1] == self.trees[log_id].root(note[0]), where + ': the root is another one')
                    self.signed[log_id] = max(self.signed[log_id], note[0])

    def check_heads(self):
        lost = {body['previous']: (log_id, body) for log_id, seq, body in self.each('restore') if seq == 0}
        for log_id, log in self.logs.items():
            known = False
            for size, text in self.heads[log_id]:
                where = '%s: head %d' % (log_id[:8], size)
                note = read_note(text, log_id, bytes.fromhex(log['public_key']))
                if not self.expect(isinstance(note, tuple), '%s %s' % (where, note)) or not self.expect(note[0] == size, where + ': another size'):
                    continue
                known = True
                if size <= log['size']:
                    self.expect(note[1] == self.trees[log_id].root(size), where + ': the log is another one')
                    self.signed[log_id] = max(self.signed[log_id], size)
                elif not self.is_elsewhere(log_id) or log_id not in self.copied:
                    self.expect(self.excused(note, lost.get(log_id)), where + ': the store went back behind it')
            if not known:
                self.ten('no head: of %s none is known' % log_id[:8])
            tail = log['size'] - self.signed[log_id]
            if tail and log['closed_at'] is None:
                self.ten('unsigned: the last %d records of %s' % (tail, log_id[:8]))
            elif tail:
                self.notes.append('%s: closed, with %d unsigned records' % (log_id[:8], tail))
        for previous, (log_id, body) in lost.items():
            self.ten('restore: %d records of %s are lost' % (max(0, body['known_size'] - body['size']), previous[:8]))

    def is_elsewhere(self, log_id):
        """The heads of this log belong to another store, at another path: this store came with a copy of it."""
        file = self.store_files.get(log_id)
        return bool(file) and file['store_id'] != self.store_id and not self.is_here(file)

    def is_here(self, file):
        return file['path'] == os.path.realpath(self.path) and file['host'] == socket.gethostname()

    def excused(self, note, lost):
        """Assumed: a restore excuses the head that it names and the smaller ones behind the end; not larger ones."""
        if not lost or not self.heads[lost[0]]:
            return False
        known = lost[1]['known_size'], lost[1]['known_root']
        return note == known or note[0] < known[0]

    # ---- binding

    def find_accepted(self):
        """What persons accepted, where the record counts."""
        self.accepted, self.copied, self.losses, self.counting = defaultdict(dict), {}, [], set()
        for log_id, seq, body in self.each('accept'):
            covered = any(size > seq for size, text in self.heads[log_id]) or not any(self.heads.values())
            if not covered:
                self.ten('%s/%d: an accept record that no head covers does not count' % (log_id[:8], seq))
                continue
            self.counting.add((log_id, seq))
            for head in body['logs']:
                if body['what'] == 'missing log' and head['log'] in self.logs:
                    self.ten('missing log: %s, which is here' % head['log'][:8])
                    continue
                self.accepted[body['what']][head['log']] = head
            if body['what'] == 'copy':
                self.copied.update({head['log']: head for head in body['logs']})
            if body['what'] != 'missing log':
                self.ten('%s/%d: accepted by a log whose key is not here (%s)' % (log_id[:8], seq, body['what']))

    def find_lenient(self):
        """Whether revisions may be missing: an accepted loss of a log that something else names too."""
        named = {head['log'] for _, _, body in self.each('beside', 'migrate') for head in body.get('logs', [])}
        named |= {head['log'] for _, _, body in self.each('accept') if body['what'] == 'copy' for head in body['logs']}
        named |= {body['previous'] for _, _, body in self.each('succeeds', 'restore')}
        named |= {log_id for log_id, file in self.store_files.items() if file['store_id'] == self.store_id}
        lost = named & set(self.accepted['missing log'])
        self.lenient = bool(lost)
        self.losses = [(log_id, seq) for log_id, seq, body in self.each('accept')
                       if body['what'] == 'missing log' and (log_id, seq) in self.counting and any(head['log'] in lost for head in body['logs'])]

    def missing_log(self, log_id, who):
        if log_id in self.accepted['missing log']:
            self.ten('missing log: %s, accepted by a person' % log_id[:8])
        else:
            self.bad('log %s is not in the store, but %s' % (log_id, who))

    def before_five(self):
        """The heads that the migrate record to version 5 names, and the beside records that continue its list."""
        heads = []
        for log_id, seq, body in self.each('migrate'):
            if body['from'] < 5 <= body['to']:
                batch = body.get('logs', [])
                heads += batch
                for later in self.records[log_id][seq + 1:]:
                    if len(batch) < 400:
                        break
                    if later.get('kind') == 'beside':
                        batch = later['logs']
                        heads += batch
        return heads

    def check_listed(self):
        """A log lists itself as it was; records of format 4 are among those that the migration lists."""
        before = {head['log']: head['size'] for head in self.before_five()}
        for log_id, seq, body in self.each('migrate'):
            start = seq
            while start and self.records[log_id][start - 1].get('kind') == 'migrate':
                start -= 1
            where = '%s/%d' % (log_id[:8], seq)
            self.expect('logs' not in body or body['from'] < 5 <= body['to'], where + ': lists logs, and is not the migrate to version 5')
            for head in body.get('logs', []):
                self.expect(head['log'] != log_id or head['size'] == start, where + ': lists itself as it was not')
        for log_id, seq, body in self.each('call.exit'):
            self.expect('change' not in body or seq < before.get(log_id, 0), '%s/%d: a change in format 5' % (log_id[:8], seq))

    def check_binding(self):
        self.check_listed()
        old = {head['log'] for head in self.before_five()}
        for log_id, seq, body in self.each():
            where = '%s/%d' % (log_id[:8], seq)
            if 'store' not in body:
                fits_five = body.get('kind') == 'migrate' and body['from'] < 5 <= body['to']
                self.expect(not fits_five, where + ': the migrate record to version 5 has no store')
                self.expect(seq > 0 or log_id in old, where + ': the first record has no store')
            elif self.expect(seq == 0 or body['kind'] == 'migrate' and body['to'] == 5, where + ': store in another record than the first') and log_id in self.copied:
                self.expect(body['store'] != self.store_id, where + ': belongs to this store, and came with no copy')
            else:
                self.expect(body['store'] == self.store_id, where + ': belongs to another store')
        for log_id, head in self.copied.items():
            self.expect(log_id not in self.logs or self.logs[log_id]['size'] == head['size'], log_id[:8] + ': grew after it was copied')
        self.check_named()
        self.check_store_files()

    def check_named(self):
        last = {}
        for log_id, seq, body in self.each('beside', 'migrate', 'accept'):
            self.expect(len(body.get('logs', [])) <= 400, '%s/%d: names more than 400 logs' % (log_id[:8], seq))
            if body['kind'] in ('accept', 'adopts') and body['what'] != 'copy':
                continue
            names = [head['log'] for head in body.get('logs', [])]
            right = body['kind'] != 'beside' or log_id not in names and len(names) == len(set(names))
            self.expect(right, '%s/%d: names its own log, or one twice' % (log_id[:8], seq))
            for head in body.get('logs', []):
                if head['log'] not in self.logs:
                    self.missing_log(head['log'], '%s/%d names it' % (log_id[:8], seq))
                    continue
                right = head['size'] <= self.logs[head['log']]['size'] and head['root'] == self.trees[head['log']].root(head['size'])
                self.expect(right, '%s/%d: log %s is not as it says' % (log_id[:8], seq, head['log'][:8]))
                if body['kind'] == 'beside':
                    last[self.logs[log_id]['no'], self.logs[head['log']]['no']] = head['size']
        found = {(row['no'], row['other']): row['size'] for row in self.rows('beside')}
        if not any(body.get('logs') for _, _, body in self.each('migrate', 'accept')):    # else it is not clear what the table must hold
            self.expect(found == last, 'the table beside is not what the beside records say')

    def check_store_files(self):
        here = os.path.realpath(self.path)
        for log_id, file in self.store_files.items():
            if log_id not in self.headed:
                continue                           # nothing of it was signed here
            same = file['store_id'] == self.store_id
            if log_id in self.logs:
                self.expect(same or log_id in self.copied, log_id[:8] + ': its heads belong to another store')
                if same and file['path'] != here and os.path.exists(file['path']):
                    self.notes.append('the heads know this store at %s: this file may be a copy' % file['path'])
            elif same:
                self.missing_log(log_id, 'its heads belong to this store')
            elif self.is_here(file) and log_id not in self.accepted['begun anew']:
                self.ten('begun anew: log %s was in a store at this path' % log_id[:8])

    # ---- what a record must say

    def check_records(self):
        calls, passed = {}, {}
        for log_id, bodies in self.records.items():
            name, state = log_id[:8], {'boots': set(), 'shutdowns': set(), 'to': 0, 'exits': set()}
            if bodies:
                self.expect(bodies[0].get('kind') in ('migrate', 'boot', 'succeeds', 'restore', 'accept', 'adopts'), name + ': begins with ' + str(bodies[0].get('kind')))
            for seq, body in enumerate(bodies):
                where, kind = '%s/%d' % (name, seq), body.get('kind')
                self.expect(kind not in ('succeeds', 'restore') or seq == 0, where + ': %s at another place than 0' % kind)
                self.expect(kind != 'rotate' or seq == len(bodies) - 1, where + ': records after rotate')
                self.expect(kind != 'adopts' or seq < 16, where + ': adopts logs too late')
                self.expect(kind != 'rotate' or key_of_vkey(body['successor']), where + ': successor is not a vkey')
                if kind == 'migrate':
                    self.migration(where, log_id, body, state, passed)
                if 'instance' in body and kind in KINDS:
                    self.instance(where, body, state)
                if kind == 'call.enter':
                    self.expect(body['call'] not in calls, where + ': a call that has begun before')
                    self.expect(body['sequence_no'] == seq, where + ': sequence_no is not its seq')
                    calls[body['call']] = (log_id, seq)
                    self.kept_members(where, body)
                    self.expect('definition' not in body or body.get('effect') == 'proxy', where + ': the definition of a tool in a call of ours')
                    self.expect('unlisted' not in body or 'definition' in body, where + ': unlisted without a definition')
                if kind in ('call.exit', 'health'):
                    self.expect(len({n in body for n in ('texts', 'texts_digest', 'texts_bytes')}) == 1, where + ': texts without digest')
                if kind == 'call.exit':
                    self.outcome(where, seq, body, bodies, state)
                if kind == 'seal':
                    named = [(subject['type'], subject['id']) for subject in body['subjects']]
                    self.expect(named == [('session', body['session_id'])], where + ': a seal that names other rows than its session')
                if kind == 'approval':
                    self.approval(where, body)
                if kind in ('decided', 'voter'):
                    own = ('round', body['round_id']) if kind == 'decided' else ('voter', body['name'])
                    self.expect([(subject['type'], subject['id']) for subject in body['subjects']] == [own], where + ': names other rows than its own')
                if kind == 'definition':
                    self.expect({subject['type'] for subject in body['subjects']} == {'definition'}, where + ': names other rows than definitions')
                if kind == 'unassign':
                    self.expect(all(subject['type'] == 'task' for subject in body['subjects']), where + ': takes back assignees of rows that are no tasks')
                if kind == 'gap':
                    self.ten('gap: %d calls could not be recorded (%s)' % (body['count'], where))
        self.check_adopted()

    def approval(self, where, body):
        state, subjects = body['state'], body['subjects']
        named = [(subject['type'], subject['id']) for subject in subjects]
        # The first record of an approval that several give names its round too.
        with_round = named[1:] == [('round', body.get('round'))] and state == 'asked' and subjects[1]['rev'] == 1
        right = named[:1] == [('approval', body['approval_id'])] and (len(named) == 1 or with_round)
        if not self.expect(right, where + ': names other rows than its approval'):
            return
        rev = subjects[0]['rev']
        self.expect(rev in {'asked': [1], 'granted': [2], 'denied': [2], 'used': [3], 'expired': [2, 3]}[state], where + ': a state that its revision cannot have')
        answered = state != 'asked' and (state, rev) != ('expired', 2)
        self.expect((body['via'] is not None) == answered, where + ': via does not fit the state')
        self.expect(answered or not (body['by'] is not None or 'claimed' in body or 'reason' in body), where + ': an answer of nobody')
        self.expect(('call' in body) == (state in ('asked', 'used')), where + ': call does not fit the state')

    def check_approvals(self):
        steps = {'asked': ('granted', 'denied', 'expired'), 'granted': ('used', 'expired')}
        for key, made in self.made.items():
            if key[0] != 'approval':
                continue
            bodies = {rev: self.records[place[0]][place[1]] for rev, place in made.items()}
            for rev in sorted(bodies):
                one, after = bodies[rev], bodies.get(rev + 1)
                if after is None:
                    continue
                name = 'approval %s' % key[1]
                self.expect(after['state'] in steps.get(one['state'], ()), name + ': %s after %s' % (after['state'], one['state']))
                same = 'server tool args_digest definition instance expires_at round'.split()
                self.expect(all(one.get(n) == after.get(n) for n in same), name + ': its records contradict each other')
                if after['state'] == 'used':
                    self.expect(all(one.get(n) == after.get(n) for n in ('via', 'by', 'claimed')), name + ': used as somebody else answered')
        for key, row in self.approvals.items():
            body, name = self.record_at(row), 'approval ' + key
            alike = [body.get(n) == row[n] for n in 'state args_digest definition instance expires_at via'.split()]
            self.expect(all(alike) and body.get('by') == row['answered_by'] and bool(body.get('claimed')) == bool(row['claimed']) and body.get('reason') == row['reason'] and body.get('round') == row['round'], name + ': its record says something else')
            if row['round'] is None:
                self.expect(row['via'] != 'quorum', name + ': given by votes without a round')
            else:
                asked, voters = self.rounds[row['round']], self.approvers(row['round'])
                action = statement(asked['proposal'])[0]['statement'].get('action')
                self.expect(action == {name: row[name] for name in ('server', 'tool', 'exact', 'definition')} and asked['expires_at'] == row['expires_at'], name + ': its round is about something else')
                right = asked['result'] == 'reject' if row['state'] == 'denied' else voters is not None
                self.expect(right if row['via'] == 'quorum' else row['via'] is None, name + ': its round was not decided so')
            self.expect(is_hex(row['args_salt'], 32) and (row['args'] is None or salted(row['args_salt'], row['args']) == row['args_digest']), name + ': other arguments')
        for log_id, seq, body in self.each('call.exit'):
            for attempt in body.get('route', {}).get('attempts', []):
                if 'approval' in attempt:
                    row = self.approvals.get(attempt['approval'])
                    self.expect(row is not None and row['state'] == 'used' and row['used_by'] == body['call'], '%s/%d: an approval that this call did not use' % (log_id[:8], seq))
                    givers = [row['answered_by']] if row is not None and not row['claimed'] and row['answered_by'] is not None else []
                    if row is not None and row['via'] == 'quorum':
                        givers = self.approvers(row['round'])
                    self.expect(attempt.get('allowed_by', []) == givers, '%s/%d: an approval that somebody else gave' % (log_id[:8], seq))
                else:
                    self.expect('allowed_by' not in attempt, '%s/%d: allowed without an approval' % (log_id[:8], seq))

    def approvers(self, round_id):
        """Who said yes to a round, of the votes that its decision rests on; None if it was not decided so."""
        row = self.rounds.get(round_id)
        if row is None or row['result'] != 'approve':
            return None
        votes = [self.votes.get(vote) for vote in statement(row['decision'])[0]['votes']]
        return sorted(vote['voter'] for vote in votes if vote is not None and vote['vote'] == 'approve')

    # ---- rounds and votes

    def check_rounds(self):
        store = self.rows('identity')[0]['store_id']
        for key, made in self.made.items():
            if key[0] == 'round':
                decided = [place for place in made.values() if self.records[place[0]][place[1]]['kind'] == 'decided']
                self.expect(len(decided) <= 1, 'round %s: decided twice' % key[1])
        for key, row in self.rounds.items():
            name, said = 'round ' + key, statement(row['proposal'])
            if not self.expect(said is not None, name + ': its proposal is not signed'):
                continue
            body, signer, _ = said
            rules, root = body['rules'], sha(jcs(body['statement']).encode())
            self.expect(body['root'] == row['root'] == root and body['store'] == row['home'] and log_of(signer) == body['log'], name + ': its statement')
            number = int(sha(jcs({'store': body['store'], 'root': root, 'nonce': body['nonce']}).encode())[:16], 16) & (2 ** 63 - 1)
            self.expect(body['round_id'] == key == str(number), name + ': its number')
            self.expect(sha(jcs(rules).encode()) == body['rule_version'] and rules['need'] == row['need'] and rules['expires_at'] == row['expires_at'] and body['requester'] == row['requester'], name + ': its rules')
            keys, home = {signer, *body['keys']}, row['home'] == store
            self.check_draw(name, row, body, keys, home)
            self.check_decision(name, row, body, keys, home)
            voted = defaultdict(set)
            for vote in self.votes.values():
                if vote['round_id'] == key:
                    voted[vote['voter']].add((vote['vote'], vote['root']))
            tried = any(vote['round_id'] == key and vote['form'] == 'equivocation' for vote in self.votes.values())
            self.expect(row['contested'] == 0 or tried or any(len(said) > 1 for said in voted.values()), name + ': contested by nobody')
            beside = [statement(h['statement']) for h in self.heard.values() if h['kind'] == 'cosigned' and h['log'] == row['decided_log'] and h['size'] > row['decided_seq']]
            self.expect(row['cosigned_by'] is None or row['cosigned_by'] in [one and one[1] for one in beside], name + ': cosigned by nobody')

    def check_draw(self, name, row, proposal, keys, home):
        rules = proposal['rules']
        if rules['voters'] is not None:
            self.expect(json.loads(row['voters']) == rules['voters'] and row['drawing'] is None, name + ': other voters than proposed')
            return
        if row['drawing'] is None:
            self.expect(row['voters'] is None and row['state'] in ('drawing', 'expired'), name + ': voters without a draw')
            return
        body, signer, _ = statement(row['drawing']) or ({}, None, None)
        if not self.expect(signer in keys and body['round_id'] == row['round_id'] and body['root'] == row['root'], name + ': its draw is not signed by its home'):
            return
        after, of = body['after'], body.get('of', body['round_id'])
        root = base64.b64decode(body['checkpoint'].split('\n')[2]).hex()
        source = jcs({'round_id': of, 'root': row['root'], 'checkpoint': root}).encode()
        output = vrf_output(bytes.fromhex(body['vrf_key']), source, bytes.fromhex(body['proof']))
        if not self.expect(output is not None and output.hex() == body['output'], name + ': its draw is not proved'):
            return
        pool = sorted(rules['draw']['from'], key=lambda voter: hashlib.sha256(output + voter.encode()).digest())
        self.expect(json.loads(row['voters']) == body['voters'] == pool[:rules['draw']['count']], name + ': other voters than were drawn')
        if home:
            made = self.made.get(('round', of), {}).get(1)
            first = min((c for c in self.rows('checkpoints') if c['log_id'] == after['log'] and c['size'] > after['seq']), key=lambda c: c['no'], default=None)
            self.expect(made == (after['log'], after['seq']) and first is not None and first['note'] == body['checkpoint'], name + ': not drawn from the first checkpoint after its proposal')

    def check_decision(self, name, row, proposal, keys, home):
        if row['decision'] is None:
            self.expect(row['state'] != 'decided' and row['result'] is row['decided_log'] is row['decided_seq'] is None, name + ': a result without a decision')
            return
        body, signer, _ = statement(row['decision']) or ({}, None, None)
        if not self.expect(signer in keys and body['round_id'] == row['round_id'] and body['root'] == row['root'], name + ': its decision is not signed by its home'):
            return
        self.expect((row['state'], row['result'], row['decided_log'], row['decided_seq']) == ('decided', body['result'], body['log'], body['seq']), name + ': its decision says something else')
        self.expect(body['tally'][body['result']] >= row['need'], name + ': decided by fewer votes than it needs')
        if not home:
            return
        record = self.records.get(body['log'], [])[body['seq']] if body['seq'] < len(self.records.get(body['log'], [])) else {}
        self.expect((record.get('kind'), record.get('round_id'), record.get('result')) == ('decided', row['round_id'], body['result']), name + ': no record of its decision')
        votes = [self.votes.get(vote) for vote in body['votes']]
        if self.expect(None not in votes and len({vote['voter'] for vote in votes}) == len(votes), name + ': decided by votes that are not there, or of one voter twice'):
            voters, enrolled = json.loads(row['voters']), 'action' in proposal['statement']
            for vote in votes:
                right = vote['form'] == 'vote' and vote['root'] == row['root'] and vote['round_id'] == row['round_id'] and vote['voter'] != row['requester']
                self.expect(right and (not voters or vote['voter'] in voters) and (vote['identity'] == 'enrolled' or not enrolled), name + ': a vote that cannot count')
            for word in ('approve', 'reject', 'abstain'):
                self.expect(body['tally'][word] == record.get(word) == sum(vote['vote'] == word for vote in votes), name + ': another tally')

    def check_votes(self):
        for key, row in self.votes.items():
            name, said = 'vote ' + key[:8], statement(row['statement'])
            round_row = self.rounds.get(row['round_id'])
            if not self.expect(said is not None and round_row is not None, name + ': not signed, or on no round'):
                continue
            body, signer, digest = said
            self.expect(digest == key and body['kind'] == row['form'] and all(body[n] == row[n] for n in ('round_id', 'root', 'voter', 'vote')), name + ': says something else')
            self.expect(body['rule_version'] == statement(round_row['proposal'])[0]['rule_version'], name + ': under other rules')
            voter = self.voters.get(row['voter'])
            if row['identity'] == 'enrolled':
                self.expect(voter is not None and (voter['public_key'] == signer or voter['rev'] > 1), name + ': not signed by its voter')
            else:
                self.expect(row['identity'] == 'claimed' and (row['instance'] is None or log_of(signer) == row['log_id']), name + ': not signed by its log')
            digest = body.get('reason_digest')
            if row['reason'] is None:
                self.expect(row['reason_salt'] is None and (row['instance'] is None or digest is None), name + ': its reason is gone')
            else:
                self.expect(digest is not None and salted(row['reason_salt'], row['reason']) == digest, name + ': another reason')
        for key, row in self.voters.items():
            body, revoked = self.record_at(row), row['revoked_at'] is not None
            said = (body.get('name'), body.get('public_key'), body.get('state'), body.get('at'), body.get('by'))
            right = (key, row['public_key'], 'revoked' if revoked else 'enrolled', row['revoked_at' if revoked else 'enrolled_at'], row['revoked_by' if revoked else 'enrolled_by'])
            self.expect(said == right, 'voter %s: its record says something else' % key)
        for key, row in self.heard.items():
            name, said = 'heard ' + key[:8], statement(row['statement'])
            if not self.expect(said is not None and said[2] == key and said[0]['kind'] == row['kind'], name + ': not signed'):
                continue
            body, signer, _ = said
            if row['kind'] == 'cosigned':
                self.expect((body['log'], body['size'], body['root']) == (row['log'], row['size'], row['root']), name + ': says something else')
            else:
                found = read_note(body['note'], log_of(signer), bytes.fromhex(signer))
                self.expect(isinstance(found, tuple) and (log_of(signer), *found) == (row['log'], row['size'], row['root']), name + ': its note says something else')

    def migration(self, where, log_id, body, state, passed):
        self.expect(state['to'] <= body['from'] < body['to'] <= self.version, where + ': a migration that cannot be')
        self.expect(CHECKSUMS.get(body['to']) == body['checksum'], where + ': a migration by other SQL')
        state['to'] = body['to']
        for version in range(body['from'] + 1, min(body['to'], self.version) + 1):
            self.expect(passed.setdefault(version, log_id) == log_id, where + ': version %d was passed in another log' % version)

    def instance(self, where, body, state):
        instance, kind = body['instance'], body['kind']
        if kind == 'boot':
            self.expect(instance not in state['boots'], where + ': a second boot')
            state['boots'].add(instance)
        self.expect(instance in state['boots'], where + ': no boot of its instance before it')
        if kind == 'shutdown':
            self.expect(instance not in state['shutdowns'], where + ': a second shutdown')
            state['shutdowns'].add(instance)
        if kind == 'call.enter' and not body.get('late') and not body.get('recovered'):
            self.expect(instance not in state['shutdowns'], where + ': a call after the shutdown')

    def kept_members(self, where, body):
        wanted = {'stored': {'args_digest', 'args_bytes'}, 'digest': {'args_digest', 'args_bytes', 'args_salt'}}.get(body['args'], set())
        self.expect({n for n in ('args_digest', 'args_bytes', 'args_salt') if n in body} == wanted, where + ': members of args do not fit')
        if 'check' in body:
            client = body['client'] or {}
            self.expect(client.get('name') == 'colibri' and client.get('protocol') == '' and body.get('effect') == 'proxy', where + ': not a capability check')

    def outcome(self, where, seq, body, bodies, state):
        no = body['sequence_no']
        enter = bodies[no] if no < seq else {}
        right = enter.get('kind') == 'call.enter' and enter.get('call') == body['call'] and enter.get('tool') == body['tool']
        self.expect(right, where + ': no call.enter of it before')
        self.expect(no not in state['exits'], where + ': a second outcome')
        state['exits'].add(no)
        self.expect('form' not in body or 'result_digest' in body, where + ': form without result_digest')
        changed = [name for name in ('subjects', 'changes', 'change', 'done', 'expired', 'credits') if name in body]
        self.expect(not changed or body['outcome'] == 'ok', where + ': did not succeed, and says what it changed')
        written = changed + [name for name in ('attempt', 'replay_of') if name in body]
        self.expect(not written or enter.get('effect') == 'write', '%s: %s by a call that does not write' % (where, ', '.join(written)))

    def check_adopted(self):
        """The record after the ones that migrate to 5 lists says how many of them no checkpoint covered."""
        listed = {head['log']: head['size'] for head in self.before_five()}
        sizes = defaultdict(list)
        for row in self.rows('checkpoints'):
            sizes[row['log_id']].append(row['size'])
        for log_id, seq, body in self.each():
            if listed.get(log_id) == seq:
                covered = max([size for size in sizes[log_id] if size <= seq], default=0)
                self.expect(body.get('adopted') == seq - covered, '%s/%d: adopted is not %d' % (log_id[:8], seq, seq - covered))
            else:
                self.expect('adopted' not in body, '%s/%d: adopted at another place' % (log_id[:8], seq))

    # ---- payloads

    def find_removed(self):
        """Which payloads and thoughts erase and prune records took out; judges the counts."""
        self.gone, self.erased, self.forgotten = set(), set(), set()
        removed_by = defaultdict(set)              # log that holds the record -> payloads
        foreign = defaultdict(set)
        for log_id, seq, body in self.each('erase', 'prune'):
            where = '%s/%d' % (log_id[:8], seq)
            if body['kind'] == 'erase':
                self.erased |= {target['id'] for target in body['targets'] if target['type'] == 'thought'}
                self.forgotten |= {target['id'] for target in body['targets'] if target['type'] == 'definition'}
                for target in body['targets']:
                    later = target['type'] == 'payload' and target['id'].partition('/')[0] == log_id and int(target['id'].partition('/')[2] or 0) >= seq
                    self.expect(not later, where + ': erased before it was recorded')
                taken = {self.payload_place(where, target['id']) for target in body['targets'] if target['type'] == 'payload'} - {None}
            else:
                of = body.get('of', log_id)
                self.expect(of in self.logs or of in self.accepted['missing log'], where + ': prunes a log that is not here')
                end = min(body['to_seq'] + 1, len(self.records[of]) if of in self.logs else 0, seq if of == log_id else 2 ** 53)
                taken = {(of, n) for n in range(body['from_seq'], end) if self.keeps(self.records[of][n])}
            removed_by[log_id, seq] = taken
            self.gone |= taken
            for place in taken:
                foreign[place].add(log_id)
        for log_id, seq, body in self.each('prune'):
            earlier = set().union(*[taken for (log, n), taken in removed_by.items() if log == log_id and n < seq])
            fresh = removed_by[log_id, seq] - earlier
            perhaps = {place for place in fresh if foreign[place] - {log_id}}
            self.expect(body.get('of', log_id) not in self.logs or len(fresh) - len(perhaps) <= body['count'] <= len(fresh), '%s/%d: count is not the number of payloads' % (log_id[:8], seq))
            self.expect(body['from_seq'] <= body['to_seq'], '%s/%d: an empty range' % (log_id[:8], seq))

    def payload_place(self, where, name):
        log_id, _, seq = name.partition('/')
        if log_id in self.logs and seq.isdigit() and int(seq) < len(self.records[log_id]) and self.keeps(self.records[log_id][int(seq)]):
            return log_id, int(seq)
        self.expect(log_id in self.accepted['missing log'], where + ': erases a payload that never was')
        return None

    @staticmethod
    def keeps(body):
        return body.get('kind') == 'call.enter' and body['args'] in ('stored', 'digest') or body.get('kind') in ('call.exit', 'health') and 'texts' in body

    def check_payloads(self):
        self.find_removed()
        rows = {(row['log_id'], row['seq']): row for row in self.rows('payloads')}
        for log_id, seq, body in self.each():
            row, where = rows.pop((log_id, seq), None), '%s/%d' % (log_id[:8], seq)
            if not self.keeps(body) or (log_id, seq) in self.gone:
                self.expect(row is None, where + ': a payload that must not be there')
            elif self.expect(row, where + ': its payload is missing'):
                self.check_payload(where, body, row)
        self.expect(not rows, 'payloads without a record: %s' % sorted(rows))

    def check_payload(self, where, body, row):
        digest, size = (body['args_digest'], body['args_bytes']) if body['kind'] == 'call.enter' else (body['texts_digest'], body['texts_bytes'])
        if body.get('args') == 'digest':
            self.expect(row['json'] is None and is_hex(row['salt'], 32) and sha(bytes.fromhex(row['salt'])) == body['args_salt'], where + ': the salt is another one')
        else:
            self.expect(isinstance(row['json'], str) and is_canonical(row['json']), where + ': the payload is not canonical JSON')
            self.expect(salted(row['salt'], row['json']) == digest and len(raw(row['json'])) == size, where + ': the payload is another one')

    # ---- order between records

    def find_order(self):
        """named[log][other] = [(seq, size)]: from record seq on, the log knows so many records of the other."""
        self.named = defaultdict(lambda: defaultdict(list))
        for log_id, seq, body in self.each('beside', 'migrate', 'succeeds', 'restore'):
            heads = body.get('logs', []) if body['kind'] in ('beside', 'migrate') else [{'log': body['previous'], 'size': body['size']}]
            for head in heads:
                self.named[log_id][head['log']].append((seq, head['size']))

    def before(self, x, y):
        if x[0] == y[0]:
            return x[1] < y[1]
        return any(seq <= y[1] and size > x[1] for seq, size in self.named[y[0]][x[0]])

    def may_miss(self, place):
        """Whether a revision that follows the one made at place (None: the first) may have been made by a log whose loss was accepted."""
        return any(place is None or not self.before(accept, place) for accept in self.losses)

    # ---- evidence rows and their digests

    def load_evidence(self):
        self.tasks = {row['n']: row for row in self.rows('tasks')}
        self.leases = {row['task_n']: row for row in self.rows('leases')}
        self.sessions = {row['session_id']: row for row in self.rows('sessions')}
        self.thoughts = {row['thought_id']: row for row in self.rows('thoughts')}
        self.adoptions = {row['owner']: row for row in self.rows('adoptions')}
        self.catalogue = self.rows('catalogue')
        self.replays = self.rows('replays')
        self.definitions = self.rows('definitions')
        self.events = self.rows('reputation_events')
        self.days = self.rows('reputation_days')
        self.approvals = {row['approval_id']: row for row in self.rows('approvals')}
        self.rounds = {row['round_id']: row for row in self.rows('rounds')}
        self.votes = {row['vote_id']: row for row in self.rows('votes')}
        self.voters = {row['name']: row for row in self.rows('voters')}
        self.heard = {row['event_id']: row for row in self.rows('heard')}
        self.depends = defaultdict(list)
        for row in self.rows('task_dependencies'):
            self.depends[row['task_n']].append(row['depends_on_n'])
            self.expect(row['task_n'] in self.tasks and row['depends_on_n'] in self.tasks, 'a dependency of or on a task that is not there: %s' % row)
        # What each row must be: (type, id) -> (rev, digest, row)
        self.evidence = {}
        for n, row in self.tasks.items():
            columns = 'title description project status priority assignee attempt version created_at updated_at idempotency_key request_digest call_no'
            value = {name: row[name] for name in columns.split()}
            self.expect((row['idempotency_key'] is None) == (row['request_digest'] is None), task_id(n) + ': only one of key and digest')
            value['depends_on'] = [task_id(d) for d in sorted(self.depends[n])]
            value.update({name: row[name] for name in ('project_id', 'creator') if row[name] is not None})
            self.put('task', task_id(n), row['version'], row, value)
        for n, row in self.leases.items():
            value = {name: row[name] for name in 'token holder until minutes released'.split()}
            value.update({name: row[name] for name in ('instance', 'task_version', 'previous', 'noted', 'handed') if row[name] is not None})
            self.put('lease', task_id(n), row['rev'], row, value)
        for key, row in self.sessions.items():
            columns = 'intent task_id agent_id opened_by started_at genesis_hash finalized_at root record_count'
            self.put('session', key, row['rev'], row, {name: row[name] for name in columns.split()})
        for key, row in self.thoughts.items():
            self.evidence['thought', key] = 1, row['hash'], row
        for row in self.catalogue:
            key = '/'.join((row['connection'], row['client'], row['server']))
            self.put('catalogue', key, row['rev'], row, {name: row[name] for name in 'server connection client digest read_at'.split()})
        for key, row in self.adoptions.items():
            self.put('adoption', key, 1, row, {'project_id': row['project_id']})
        for row in self.replays:
            key = '%s/%s' % (task_id(row['task_n']), row['idempotency_key'])
            self.put('replay', key, 1, row, {name: row[name] for name in 'idempotency_key request_digest call_no'.split()})
        for row in self.definitions:
            self.put('definition', row['digest'], 1, row, {})
        for key, row in self.approvals.items():
            columns = 'exact server tool args_digest definition state via answered_by claimed reason call_id used_by instance asker asked_at expires_at'
            columns += ' round' * (row['round'] is not None)
            self.put('approval', key, row['rev'], row, {name: row[name] for name in columns.split()})

        consensus = {
            'round': (self.rounds, 'home root proposal drawing decision state result voters need expires_at requester instance asker contested decided_log decided_seq cosigned_by known_at'),
            'vote': (self.votes, 'round_id voter vote root form identity statement instance known_at'),
            'voter': (self.voters, 'public_key enrolled_at enrolled_by revoked_at revoked_by'),
            'heard': (self.heard, 'kind log size root statement known_at'),
        }
        for kind, (rows, columns) in consensus.items():
            for key, row in rows.items():
                self.put(kind, key, row['rev'], row, {name: row[name] for name in columns.split()})

    def put(self, kind, key, rev, row, columns):
        self.expect(is_hex(row['salt'], 32), '%s %s: its salt is not one' % (kind, key))
        try:
            digest = sha(b'\0', jcs({'type': kind, 'id': key, 'rev': rev, 'salt': row['salt'], **columns}).encode())
        except (ValueError, TypeError):
            digest = None
        self.evidence[kind, key] = rev, digest, row

    def find_revisions(self):
        """made[type, id][rev] = the record that made it."""
        self.made = defaultdict(dict)
        for log_id, seq, body in self.each():
            for subject in body.get('subjects', []) if body['kind'] in KINDS else []:
                key, rev, kind = (subject['type'], subject['id']), subject['rev'], body['kind']
                where = '%s/%d: %s %s rev %d' % (log_id[:8], seq, *key, rev)
                if key[0] == 'session':
                    right = kind == 'call.exit' and rev == 1 or kind == 'seal' and rev == 2 and body['session_id'] == key[1]
                else:
                    right = kind in NAMERS[key[0]] and rev >= 1 and (rev == 1 or key[0] not in ('thought', 'adoption', 'replay', 'definition', 'vote', 'heard'))
                self.expect(right, where + ': not by such a record')
                twice = any(place == (log_id, seq) for place in self.made[key].values())
                self.expect(rev not in self.made[key] and not twice, where + ': made twice')
                self.made[key][rev] = (log_id, seq)
                row = self.evidence.get(key)
                if row and row[0] == rev:
                    self.expect(row[1] == subject['digest'], where + ': the row has another digest')

    def check_revisions(self):
        lenient = self.lenient
        for key in set(self.evidence) | set(self.made):
            name, made = '%s %s' % key, self.made.get(key, {})
            if not self.expect(key in self.evidence or lenient, name + ': named by a record, but not there'):
                continue
            if key not in self.evidence:
                continue
            rev, digest, row = self.evidence[key]
            self.expect(is_count(rev) and rev >= 1, name + ': a revision that cannot be')
            place = (row['log_id'], row['seq'])
            if not lenient or place[0] in self.logs:
                self.expect(made.get(rev) == place, name + ': the record that it points to did not make its revision %s' % rev)
            holes = sorted(set(range(1, max([rev] + list(made)) + 1)) - set(made)) if is_count(rev) else []
            holes = [hole for hole in holes if not self.may_miss(made.get(max([early for early in made if early < hole], default=0)))]
            self.expect(not holes, '%s: revisions that no record made: %s' % (name, holes))
            self.expect(not made or max(made) <= rev, name + ': the row is older than its newest revision')
            order = sorted(made)
            for i, early in enumerate(order):
                for late in order[i + 1:]:
                    if self.before(made[late], made[early]):
                        self.bad('%s: revision %d is before revision %d' % (name, late, early))

    # ---- the history of tasks

    def follow_tasks(self):
        """states[id][version] = (status, attempt) after that version, None where it is not known."""
        self.states, self.attempt_before = defaultdict(dict), {}
        entries = defaultdict(list)
        for log_id, seq, body in self.each('call.exit'):
            steps = body.get('changes', []) + ([body['change']] if 'change' in body else [])
            for step in steps:
                where = '%s/%d: %s' % (log_id[:8], seq, step['task_id'])
                if self.expect(self.made['task', step['task_id']].get(step['version']) == (log_id, seq), where + ': a version that this record did not make'):
                    entries[step['task_id'], step['version']].append(step)
        for (kind, key), made in list(self.made.items()):
            if kind == 'task':
                self.follow_task(key, made, entries)

    def follow_task(self, key, made, entries):
        state, attempt, known = 'INIT', 1, 1 in made
        for version in range(1, max(made, default=0) + 1):
            if version not in made:
                known = False
                continue
            if known:
                self.attempt_before[key, version] = attempt
            elif entries[key, version]:
                again = sum((step['from'], step['to']) == ('VERIFY', 'GATHER') for step in entries[key, version])
                self.attempt_before[key, version] = entries[key, version][-1]['attempt'] - again
            for step in entries[key, version]:
                where = '%s version %d: %s to %s' % (key, version, step['from'], step['to'])
                self.expect((step['from'], step['to']) in ARROWS, where + ': no arrow of the machine')
                self.expect(not known or step['from'] == state, where + ': it was in ' + state)
                again = (step['from'], step['to']) == ('VERIFY', 'GATHER')
                attempt = attempt + again if known else step['attempt']
                self.expect(step['attempt'] == attempt, '%s version %d: attempt %d, not %d' % (key, version, step['attempt'], attempt))
                state, known = step['to'], True
            self.states[key][version] = (state, attempt) if known else None
        row = self.evidence.get(('task', key))
        if row and 1 in made:
            log_id, seq = made[1]
            self.expect(row[2]['call_no'] == self.records[log_id][seq].get('sequence_no'), key + ': call_no is not the call that made it')
        if row and known:
            self.expect((row[2]['status'], row[2]['attempt']) == (state, attempt), key + ': the row is not in the state of its history')

    def check_entries(self):
        """done, thought, because and expired of every outcome."""
        self.expired = {}
        for log_id, seq, body in self.each('call.exit'):
            place, where, steps = (log_id, seq), '%s/%d' % (log_id[:8], seq), body.get('changes', [])
            applied = [step['task_id'] for step in steps if step['to'] == 'APPLY']
            self.expect(bool(applied) == ('done' in body), where + ': done is there exactly if a task enters APPLY')
            self.check_done(place, where, body, applied)
            for step in steps + ([body['change']] if 'change' in body else []):
                self.check_reasons(place, where, body, step)
            for step in steps:
                self.expect((step['to'] == 'DONE') == ('thought' in step), where + ': an entry of DONE has a thought, no other has')
            if 'attempt' in body:
                self.check_thought_attempt(place, where, body)
            for entry in body.get('expired', []):
                key = entry['task_id'], entry['rev']
                self.expect(key not in self.expired, '%s: lease %s was found run out before' % (where, key))
                self.expired[key] = place
                self.expect(self.made.get(('lease', key[0]), {}).get(key[1]) != place, '%s: lease %s ran out in the call that gave it' % (where, key))
                self.newest('%s: expired %s' % (where, key), ('lease', key[0]), key[1], place)

    def check_thought_attempt(self, place, where, body):
        """The attempt is one in which the task was when its thought was recorded, as far as the records of the same log say."""
        named = [self.thoughts.get(subject['id'], {}).get('task_id') for subject in body.get('subjects', []) if subject['type'] == 'thought']
        tasks = [key for key in named if key is not None]
        self.expect(tasks, where + ': attempt, but no thought about a task')
        for key in tasks:
            made, states = self.made.get(('task', key), {}), self.states[key]
            before = [rev for rev in made if made[rev][0] == place[0] and made[rev][1] < place[1]]
            after = [rev for rev in made if made[rev][0] == place[0] and made[rev][1] >= place[1]]
            least = states.get(max(before)) if before else None
            least = least[1] if least else 1
            most = self.attempt_before.get((key, min(after))) if after else None
            if not after and made and not self.may_miss(made[max(made)]):
                most = (states.get(max(made)) or (None, None))[1]
            if after and made[min(after)] == place and most is not None:
                least = most
            self.expect(least <= body['attempt'] and (most is None or body['attempt'] <= most), '%s: a thought of attempt %d of %s' % (where, body['attempt'], key))

    def newest(self, where, key, rev, place):
        """The revision was there, and the newest, when the record at place was written, as far as the order is known."""
        made = self.made.get(key, {})
        if rev not in made:
            self.expect(self.may_miss(made.get(max([early for early in made if early < rev], default=0))), where + ': a revision that is not there')
            return
        self.expect(not self.before(place, made[rev]), where + ': a revision that came later')
        self.expect(not any(later > rev and self.before(made[later], place) for later in made), where + ': not the newest revision')

    def check_done(self, place, where, body, applied):
        named = [entry['task_id'] for entry in body.get('done', [])]
        self.expect(len(named) == len(set(named)), where + ': a task twice in done')
        for entry in body.get('done', []):
            key, version = entry['task_id'], entry['version']
            self.newest('%s: done %s' % (where, key), ('task', key), version, place)
            state = self.states[key].get(version)
            self.expect(state is None or state[0] == 'DONE', '%s: %s was not DONE at version %d' % (where, key, version))
        current = [n for n, row in self.tasks.items() if task_id(n) in applied and (row['log_id'], row['seq']) == place]
        if current and len(current) == len(set(applied)):
            wanted = {task_id(d) for n in current for d in self.depends[n]}
            self.expect(set(named) == wanted, where + ': done is not what the task depends on')

    def check_reasons(self, place, where, body, step):
        for member in ('because', 'thought'):
            name = step.get(member)
            if name is None:
                continue
            row = self.thoughts.get(name)
            if not self.expect(row or self.lenient, '%s: %s is not there' % (where, member)) or not row:
                continue
            self.expect(row['task_id'] == step['task_id'], '%s: %s is about another task' % (where, member))
            self.expect(not self.before(place, (row['log_id'], row['seq'])), '%s: %s came later' % (where, member))
            if member == 'thought':
                self.expect(row['attempt'] == step['attempt'], where + ': thought is of another attempt')

    # ---- derived columns

    def owner_of(self, row):
        owner = row['project_id'] if row['project_id'] is not None else '=' + row['project'] if row['project'] is not None else None
        for _ in range(16):
            if owner not in self.adoptions:
                break
            owner = self.adoptions[owner]['project_id']
        return owner

    def check_tasks(self):
        for n, row in self.tasks.items():
            lease = self.leases.get(n)
            right = {
                'open_deps': sum(self.tasks.get(d, {}).get('status') != 'DONE' for d in self.depends[n]),
                'leased': lease['flagged'] if lease else 0,
                'terminal': int(row['status'] in ('DONE', 'CANCELLED')),
                'priority_rank': RANKS.get(row['priority']), 'stage': STAGES.get(row['status']),
                'search_text': (row['title'] + '\n' + (row['description'] or '')).lower(),      # observed
                'owner': self.owner_of(row),
            }
            for name, value in right.items():
                self.expect(row[name] == value, '%s: derived column %s is %r, not %r' % (task_id(n), name, row[name], value))

    def check_leases(self):
        for n, row in self.leases.items():
            name = 'lease of ' + task_id(n)
            self.expect(n in self.tasks, name + ': no such task')
            self.expect(self.is_token(n, row), name + ': a token that was never given')
            self.expect(row['released'] in (0, 1), name + ': released is neither 0 nor 1')
            flagged = 0 if row['released'] or (task_id(n), row['rev']) in self.expired else 1
            newest = self.made['lease', task_id(n)].get(row['rev'])
            self.expect(row['flagged'] == flagged or self.may_miss(newest), name + ': flagged is not %d' % flagged)

    def is_token(self, n, row):
        token, rev, first = row['token'], row['rev'], n * 1_000_000
        if not is_count(token) or not is_count(rev):
            return False
        if row['instance'] is None:
            return first < token <= first + rev
        return 1 <= token >> 32 <= (first + 1 + rev >> 32) + rev

    def check_catalogue(self):
        for row in self.catalogue:
            name = 'catalogue of ' + row['server']
            self.expect(sha(raw(row['tools'])) == row['digest'], name + ': tools are not those of the digest')
            body = self.record_at(row)
            self.expect((body.get('digest'), body.get('at'), body.get('server')) == (row['digest'], row['read_at'], row['server']), name + ': its record says something else')

    def check_replays(self):
        for row in self.replays:
            name = 'replay %s/%s' % (task_id(row['task_n']), row['idempotency_key'])
            self.expect(row['task_n'] in self.tasks, name + ': of a task that is not there')
            self.expect(is_hex(row['request_digest'], 64), name + ': its request_digest is not one')
            self.expect(self.record_at(row).get('sequence_no') == row['call_no'], name + ': call_no is not the call that made it')

    def check_definitions(self):
        there = {row['digest'] for row in self.definitions}
        for digest in self.forgotten:
            self.expect(digest in there or self.lenient, 'definition %s: erased, but its row is gone' % digest)
        for row in self.definitions:
            name = 'definition ' + row['digest']
            if row['json'] is None or row['digest'] in self.forgotten:
                self.expect(row['json'] is None and row['digest'] in self.forgotten, name + ': empty or erased, but not both')
            else:
                self.expect(sha(raw(row['json'])) == row['digest'], name + ': another text')

    def check_reputation(self):
        """Both derived tables, recomputed from the outcomes."""
        good, bad = ('result', 'is_error', 'error'), ('timeout', 'lost', 'server_error')
        counted = {'done': '+execution', 'delivered': '+commissioning', 'reopened': '-execution', 'cancelled': '-commissioning',
                   'expired': '-execution -social', 'taken': '-execution', 'handed': '+social',
                   'agreed': '+arbitration', 'disagreed': '-arbitration', 'silent': '-arbitration', 'equivocated': '-arbitration'}
        events, days = set(), defaultdict(lambda: [0, 0])
        for log_id, seq, body in self.each('call.exit'):
            attempts = body.get('route', {}).get('attempts', [])
            said = [('server:' + a['server'], ('+' if a['how'] in good else '-') + 'execution', a['how'], i) for i, a in enumerate(attempts) if a['how'] in good + bad]
            credits = [(c['node'], what, c['why']) for c in body.get('credits', []) for what in counted[c['why']].split()]
            allowed = []
            for i, a in enumerate(attempts):
                is_last = all(b.get('approval') != a.get('approval') for b in attempts[i + 1:])
                if is_last and a['how'] in good + bad:
                    sign = '+' if a['how'] in ('result', 'is_error') else '-'
                    allowed += [('agent:' * by.startswith('server:') + by, sign + 'governance', 'allowed') for by in a.get('allowed_by', [])]
            said += [event + (len(attempts) + i,) for i, event in enumerate(credits + allowed)]
            for node, what, why, place in said:
                record = self.logs[log_id]['no'] * 2 ** 32 + seq
                events.add((node, what[1:], body['at'], record, place, int(what[0] == '+'), why))
                day = (datetime.date.fromisoformat(body['at'][:10]) - datetime.date(1970, 1, 1)).days
                days[node, what[1:], day][what[0] == '-'] += 1
        stored = [tuple(row[name] for name in 'node_id domain at record place good why'.split()) for row in self.events]
        self.expect(len(stored) == len(set(stored)) and set(stored) == events, 'reputation_events is not what the records say')
        sums = {(row['node_id'], row['domain'], row['day']): [row['successes'], row['failures']] for row in self.days}
        self.expect(sums == dict(days), 'reputation_days is not what the records say')

    def check_adoptions(self):
        for owner, row in self.adoptions.items():
            self.expect(self.record_at(row).get('project_id') == row['project_id'], 'adoption of %s: by the boot of another project' % owner)

    def record_at(self, row):
        bodies = self.records.get(row['log_id'], [])
        return bodies[row['seq']] if is_count(row['seq']) and row['seq'] < len(bodies) else {}

    # ---- sessions, thoughts, seals

    def check_sessions(self):
        members = defaultdict(list)
        for row in self.thoughts.values():
            members[row['session_id']].append(row)
        for session_id in set(members) - set(self.sessions):
            self.bad('thoughts of a session that is not there: %s' % session_id)
        for session_id, row in self.sessions.items():
            thoughts = sorted(members[session_id], key=lambda thought: thought['place'])
            self.check_genesis(row)
            self.check_chain(row, thoughts)
            self.check_seal(row, thoughts)

    def check_genesis(self, row):
        opened = self.made['session', row['session_id']].get(1)
        if not opened:
            return                                 # the missing revision was reported
        value = {'v': 1, 'kind': 'session', 'log': opened[0], **{n: row[n] for n in ('session_id', 'intent', 'task_id', 'agent_id', 'started_at')}}
        self.expect(self.hash_of(value) == row['genesis_hash'], 'session %s: the genesis is another one' % row['session_id'])

    @staticmethod
    def hash_of(value):
        try:
            return sha(b'\0', jcs(value).encode())
        except (ValueError, TypeError):
            return None

    def check_chain(self, session, thoughts):
        previous, place_before = session['genesis_hash'], self.made['session', session['session_id']].get(1)
        for number, row in enumerate(thoughts):
            name, place = 'thought ' + row['thought_id'], (row['log_id'], row['seq'])
            self.expect(row['place'] == number, name + ': places are not dense')
            self.expect(row['prev_hash'] == previous, name + ': prev_hash is not the hash before it')
            self.expect(self.hash_of(self.thought_value(row)) == row['hash'], name + ': the hash is another one')
            self.expect(not place_before or not self.before(place, place_before), name + ': recorded before the one before it')
            previous, place_before = row['hash'], place
            self.check_content(name, row)
            self.check_attempt(name, row)

    @staticmethod
    def thought_value(row):
        value = {'v': 1, 'seq': row['place'], **{n: row[n] for n in 'session_id thought_id type task_id agent_id content_digest timestamp prev_hash'.split()}}
        value['skill'] = None if row['skill_name'] is None else {'name': row['skill_name'], 'digest': row['skill_digest']}
        if row['idempotency_key'] is not None:
            value['idempotency'] = {'key': row['idempotency_key'], 'request_digest': row['request_digest']}
        return value

    def check_content(self, name, row):
        self.expect(row['type'] in ('plan', 'analysis', 'decision', 'reflection'), name + ': a type that there is not')
        if row['thought_id'] in self.erased:
            self.expect(row['content'] is None and row['content_salt'] is None, name + ': was erased, but is there')
        else:
            self.expect(salted(row['content_salt'], row['content']) == row['content_digest'], name + ': the content is another one')
        self.expect(row['idempotency_key'] is not None or row['request_digest'] is None, name + ': request_digest without a key')
        self.expect(row['skill_name'] is not None or row['skill_digest'] is None, name + ': skill_digest without a skill')

    def check_attempt(self, name, row):
        recorded = self.record_at(row).get('attempt')
        for step in self.record_at(row).get('changes', []) if recorded is not None else []:
            if step.get('because') == row['thought_id']:
                recorded = step['attempt'] - ((step['from'], step['to']) == ('VERIFY', 'GATHER'))
        if row['task_id'] is None:
            self.expect(row['attempt'] is None, name + ': derived column attempt without a task')
        elif recorded is not None:
            self.expect(row['attempt'] == recorded, name + ': derived column attempt is not %s' % recorded)

    def check_seal(self, row, thoughts):
        name = 'session ' + row['session_id']
        closing = (row['finalized_at'], row['root'], row['record_count'])
        if row['rev'] == 1:
            self.expect(closing == (None, None, None), name + ': not sealed, but with a seal')
            return
        body = self.record_at(row)
        if row['log_id'] in self.accepted['missing log'] and row['log_id'] not in self.logs:
            return                                 # its seal is gone with a log whose loss a person accepted
        if not self.expect(row['rev'] == 2 and body.get('kind') == 'seal' and body.get('session_id') == row['session_id'], name + ': does not point to its seal'):
            return
        hashes = [bytes.fromhex(thought['hash']) if is_hex(thought['hash'], 64) else b'' for thought in thoughts]
        root = Tree(hashes).root(len(hashes))
        self.expect(closing == (body['at'], body['root'], body['record_count']), name + ': is not as its seal says')
        self.expect((body['root'], body['record_count']) == (root, len(thoughts)), name + ': the seal is over other thoughts')
        self.expect(body['genesis_hash'] == row['genesis_hash'], name + ': the seal has another genesis')
        self.expect([(s['type'], s['id']) for s in body['subjects']] == [('session', row['session_id'])], name + ': the seal names other rows')
        for thought in thoughts:
            after = self.before((row['log_id'], row['seq']), (thought['log_id'], thought['seq']))
            self.expect(not after, '%s: thought %s came after the seal' % (name, thought['thought_id']))

    # ---- all of it

    def run(self):
        try:
            if self.open():
                self.load()
                self.read_heads()
                self.find_accepted()
                self.find_lenient()
                self.check_logs()
                self.check_checkpoints()
                self.check_heads()
                if self.newer:
                    self.check_newer()
                    self.check_store_files()
                    return self.verdict()
                self.check_binding()
                self.check_records()
                self.check_payloads()
                self.find_order()
                self.load_evidence()
                self.find_revisions()
                self.check_revisions()
                self.follow_tasks()
                self.check_entries()
                self.check_leases()
                self.check_tasks()
                self.check_catalogue()
                self.check_adoptions()
                self.check_replays()
                self.check_definitions()
                self.check_reputation()
                self.check_approvals()
                self.check_rounds()
                self.check_votes()
                self.check_sessions()
        except (Cannot, OSError) as error:
            if not self.contradictions:
                return 30, str(error)
        except sqlite3.DatabaseError as error:
            if not self.contradictions:
                return 30, 'the database cannot be read: %s' % error
        except (TypeError, KeyError, ValueError, IndexError, AttributeError) as error:
            # A value of a type that no healthy store has: what was found before stands, and this is found too.
            self.bad('a value of another type than the documents say: %s %s' % (type(error).__name__, error))
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)
        return self.verdict()

    def verdict(self):
        return (20 if self.contradictions else 10 if self.causes else 0), None

def main(arguments):
    as_json = '--json' in arguments
    rest = [a for a in arguments if a != '--json']
    heads = None
    if '--heads' in rest:
        at = rest.index('--heads')
        heads = rest[at + 1] if at + 1 < len(rest) else ''
        del rest[at:at + 2]
    if len(rest) != 1 or heads == '':
        print(__doc__, file=sys.stderr)
        return 30
    audit = Audit(rest[0], heads)
    code, why = audit.run()
    if as_json:
        print(json.dumps({'exit': code, 'cannot': why, 'contradictions': audit.contradictions, 'causes': audit.causes, 'notes': audit.notes}, indent=1))
        return code
    print({0: 'OK', 10: 'MISSING', 20: 'CONTRADICTION', 30: 'CANNOT JUDGE'}[code] + (': ' + why if why else ''))
    for title, lines in (('contradiction', audit.contradictions), ('cause', audit.causes), ('note', audit.notes)):
        for line in lines:
            print('  %s: %s' % (title, line))
    return code

if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
