// A hundred secrets of known kinds, each in the text it may stand in, and more than a hundred texts that hold none. The secrets are
// put together when they are used: no line of this file looks like a living one.

const ALNUM = 'a7Bq2Lr9Kx4Zt1Wm6Ys3Vp8Nc5Jd0Hf';
const HEX = '3f9a1c7e5b2d8064';

/** A variable as configuration files write it. */
export const variable = (name: string): string => `\${${name}}`;

/** So many characters that look random and are the same every time. */
export const alnum = (count: number): string => ALNUM.repeat(Math.ceil(count / ALNUM.length)).slice(0, count);
export const upper = (count: number): string => alnum(count).toUpperCase();
export const hex = (count: number): string => HEX.repeat(Math.ceil(count / HEX.length)).slice(0, count);
export const joined = (...parts: readonly string[]): string => parts.join('');

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
const jwt = [base64(JSON.stringify({ alg: 'HS256' })), base64(JSON.stringify({ sub: 'me' })), alnum(43)]
  .map((part) => part.replaceAll('=', ''))
  .join('.');
const pem = (label: string): string =>
  [joined('-----BEGIN ', label, '-----'), alnum(64), joined('-----END ', label, '-----')].join('\n');

/** What it is, the secret, and the text around it, where `%` stands for the secret. */
export type Sample = readonly [kind: string, secret: string, around?: string];

const TOKENS: readonly Sample[] = [
  ['AWS access key', joined('AK', 'IA', upper(16))],
  ['AWS session key', joined('AS', 'IA', upper(16)), 'key %, region eu'],
  ['Google API key', joined('AI', 'za', alnum(35)), 'https://maps.example.test/js?key=%&v=3'],
  ['Google OAuth', joined('ya', '29.', alnum(60))],
  ['Google client secret', joined('GOC', 'SPX-', alnum(28))],
  ['Google refresh token', joined('1/', '/0', alnum(40))],
  ['Azure client secret', joined('abc', '8Q~', alnum(34))],
  ['Azure storage key', joined(alnum(86), '=='), 'DefaultEndpointsProtocol=https;AccountName=me;AccountKey=%;'],
  ['Azure DevOps', joined(alnum(76), 'AZ', 'DO', 'ab12')],
  ['DigitalOcean', joined('dop', '_v1_', hex(64))],
  ['DigitalOcean OAuth', joined('doo', '_v1_', hex(64))],
  ['Alibaba', joined('LT', 'AI', alnum(20))],
  ['Tencent', joined('AK', 'ID', alnum(32))],
  ['Yandex', joined('AQ', 'VN', alnum(38))],
  ['Heroku', joined('HR', 'KU-', alnum(40))],
  ['Fly.io', joined('fm', '2_', alnum(60))],
  ['Netlify', joined('nf', 'p_', alnum(36))],
  ['Databricks', joined('da', 'pi', hex(32))],
  ['PlanetScale', joined('pscale', '_tkn_', alnum(43))],
  ['Supabase', joined('sb', 'p_', hex(40))],
  ['Tailscale', joined('ts', 'key-auth-', alnum(30))],
  ['HashiCorp Vault', joined('hv', 's.', alnum(90))],
  ['Terraform Cloud', joined(alnum(14), '.atlas', 'v1.', alnum(60))],
  ['Pulumi', joined('pu', 'l-', hex(40))],
  ['Doppler', joined('dp', '.pt.', alnum(43))],
  ['GitHub classic', joined('gh', 'p_', alnum(36))],
  ['GitHub OAuth', joined('gh', 'o_', alnum(36)), 'token: %'],
  ['GitHub app', joined('gh', 's_', alnum(36)), 'remote: https://x-access-token:%@github.com/me/it'],
  ['GitHub refresh', joined('gh', 'r_', alnum(76))],
  ['GitHub fine-grained', joined('github', '_pat_', alnum(22), '_', alnum(59))],
  ['GitLab', joined('gl', 'pat-', alnum(20))],
  ['GitLab runner', joined('gl', 'rt-', alnum(20))],
  ['GitLab deploy', joined('gl', 'dt-', alnum(20))],
  ['Bitbucket', joined('AT', 'BB', alnum(32))],
  ['Atlassian', joined('AT', 'ATT3', alnum(180))],
  ['CircleCI', joined('CC', 'IPAT_', alnum(22), '_', hex(40))],
  ['Buildkite', joined('bk', 'ua_', hex(40))],
  ['Slack bot', joined('xo', 'xb-', '123456789012-', alnum(24))],
  ['Slack app', joined('xa', 'pp-1-', alnum(40))],
  ['Slack webhook', joined('T0', upper(8), '/B0', upper(8), '/', alnum(24)), 'https://hooks.slack.com/services/%'],
  ['Discord bot', joined('MT', alnum(24), '.', alnum(6), '.', alnum(38))],
  ['Discord webhook', joined('123456789012345678/', alnum(68)), 'https://discord.com/api/webhooks/%'],
  ['Telegram', joined('123456789', ':AA', alnum(33)), 'https://api.telegram.org/bot %/getMe'],
  ['SendGrid', joined('S', 'G.', alnum(22), '.', alnum(43))],
  ['Mailgun', joined('ke', 'y-', hex(32))],
  ['Mailchimp', joined(hex(32), '-us', '12')],
  ['Twilio', joined('S', 'K', hex(32))],
  ['Brevo', joined('xkey', 'sib-', hex(64), '-', alnum(16))],
  ['Resend', joined('r', 'e_', alnum(8), '_', alnum(24))],
  ['Stripe live', joined('sk', '_live_', alnum(24))],
  ['Stripe restricted', joined('rk', '_live_', alnum(24))],
  ['Stripe webhook', joined('wh', 'sec_', alnum(32))],
  ['Square', joined('sq0', 'atp-', alnum(22))],
  ['Square secret', joined('sq0', 'csp-', alnum(43))],
  ['PayPal', joined('access', '_token$production$', alnum(16), '$', hex(32))],
  ['Razorpay', joined('rzp', '_live_', alnum(14))],
  ['Shopify', joined('shp', 'at_', hex(32))],
  ['npm', joined('np', 'm_', alnum(36)), '//registry.example.test/:_authToken=%'],
  ['PyPI', joined('py', 'pi-AgEIcHlwaS5vcmc', alnum(60))],
  ['RubyGems', joined('ruby', 'gems_', hex(48))],
  ['NuGet', joined('oy', '2', alnum(43))],
  ['Docker Hub', joined('dckr', '_pat_', alnum(27))],
  ['OpenAI', joined('s', 'k-', alnum(48))],
  ['OpenAI project', joined('sk-', 'proj-', alnum(60))],
  ['Anthropic', joined('sk-', 'ant-api03-', alnum(80))],
  ['Hugging Face', joined('h', 'f_', alnum(34))],
  ['Replicate', joined('r', '8_', alnum(37))],
  ['Groq', joined('gs', 'k_', alnum(52))],
  ['xAI', joined('xa', 'i-', alnum(80))],
  ['Perplexity', joined('pp', 'lx-', alnum(48))],
  ['Pinecone', joined('pc', 'sk_', alnum(60))],
  ['Notion', joined('nt', 'n_', alnum(46))],
  ['Linear', joined('lin', '_api_', alnum(40))],
  ['Figma', joined('fi', 'gd_', alnum(40))],
  ['Airtable', joined('pa', 't', alnum(14), '.', hex(64))],
  ['Grafana', joined('gl', 'sa_', alnum(32), '_', hex(8))],
  ['Sentry', joined('sn', 'trys_', alnum(80))],
  ['New Relic', joined('NR', 'AK-', upper(27))],
  ['Postman', joined('PM', 'AK-', hex(24), '-', hex(34))],
  ['JWT', jwt],
];

const PLACES: readonly Sample[] = [
  ['private key', pem('RSA PRIVATE KEY')],
  ['private key of EC', pem('EC PRIVATE KEY'), 'cat key.pem: %'],
  ['private key of OpenSSH', pem('OPENSSH PRIVATE KEY')],
  ['private key of PGP', pem('PGP PRIVATE KEY BLOCK')],
  ['login in an address', 'hunter2', 'http://me:%@127.0.0.1:9/mcp'],
  ['login of a database', 'p%40ss/w'.replace('/', ''), 'postgres://app:%@db/shop'],
  ['login without a user', 'sesame', 'redis://:%@cache:6379/0'],
  ['query parameter', 'opensesame', 'GET /v1?access_token=%&page=2'],
  ['signature of a SAS', 'abc%2Bdef', 'https://x.blob.core.windows.net/c?sv=2024&sig=%&se=1'],
  ['Authorization: Bearer', 'abcdefgh12345678', 'Authorization: Bearer %'],
  ['Authorization: Basic', base64('me:open sesame'), 'curl -H "Authorization: Basic %" https://x.test'],
  ['X-Api-Key', 'opensesame', 'X-Api-Key: %'],
  ['Cookie', 'sid=opensesame; theme=dark', 'Cookie: %'],
  ['flag and value', 'opensesame', 'deploy --api-key % --dry-run'],
  ['flag with =', 'opensesame', 'deploy --token=% --dry-run'],
  ['flag in quotes', 'open sesame', 'deploy --password "%" now'],
  ['variable', 'opensesame', 'DB_PASSWORD=% node app.js'],
  ['exported variable', 'open sesame', "export API_KEY='%'"],
  ['JSON inside a string', 'open sesame', '{"user":"me","password":"%"}'],
  ['JSON inside JSON', 'open sesame', '{\\"apiKey\\":\\"%\\"}'],
  ['YAML', 'opensesame', 'user: me\npassword: %\nport: 1'],
  ['connection string', 'opensesame', 'Server=db;User Id=me;Password=%;Encrypt=true'],
  ['curl -u', 'me:opensesame', 'curl -u % https://x.test'],
  ['XML', 'opensesame', '<user>me</user><password>%</password>'],
  ['camel case in code', 'open sesame', 'const clientSecret = "%";'],
];

export interface SecretSample {
  readonly kind: string;
  readonly secret: string;
  readonly text: string;
}

export const SECRETS: readonly SecretSample[] = [...TOKENS, ...PLACES].map(
  ([kind, secret, around = 'it said % today']) => ({
    kind,
    secret,
    text: around.replace('%', () => secret),
  }),
);

/** The kinds that are told by their shape alone, also in what a person writes. */
export const SHAPED_SECRETS: readonly SecretSample[] = SECRETS.slice(0, TOKENS.length + 4).filter(
  ({ kind }) => !kind.endsWith('webhook'),
);

export const HARMLESS: readonly string[] = [
  // Words that hold other words
  ...[
    'author',
    'authority',
    'monkey',
    'keyboard',
    'passenger',
    'compass',
    'bypass',
    'tokenizer',
    'secretary',
    'passage',
  ],
  ...['The author of the keyboard is a passenger.', 'turkey: 2', 'monkey=1', 'compass: north', 'bypass=true'],
  // Counts and settings
  ...[
    'max_tokens: 4096',
    'max_tokens=4096',
    '{"max_tokens":4096}',
    'total_tokens: 12',
    'prompt_tokens=3',
    '--max-tokens 200',
  ],
  ...['--token-count 5', '--token-count=5', 'token_type: bearer', 'tokens: 17', 'n_tokens = 5', 'lease_token: 4'],
  ...[
    'page_token=abc',
    'next_token: abc',
    'progressToken: 7',
    'idempotency_key: retry-1',
    'primary_key = id',
    'cache_key: a/b',
  ],
  ...[
    'public_key: ed25519',
    'sort_key=name',
    'key: value',
    'foreign_key=task_id',
    'eos_token: </s>',
    'auth_type: none',
  ],
  ...[
    'requires_auth: yes',
    'password_length: 12',
    'password_policy: strict',
    'secret_name: shop',
    'keys=3',
    'hotkey: ctrl-k',
  ],
  // Prose
  ...['password reset flow', 'We discussed the password reset flow and the token bucket.', 'a bearer of good news'],
  ...[
    'Basic understanding of basic arithmetic',
    'The secret is to rest.',
    'authorization: required',
    'Bearer tokens are used',
  ],
  ...[
    'the --token flag is deprecated',
    'pass the salt',
    'a token of love',
    'the key to it all: patience',
    'token: string',
  ],
  ...[
    'Set API_KEY before you start.',
    'apiKey: string;',
    `use ${variable('API_KEY')} here`,
    `password: ${variable('DB_PASSWORD')}`,
    `token=${variable('TOKEN')}`,
  ],
  ...[
    `Authorization: Bearer ${variable('TOKEN')}`,
    'auth: none',
    'jwt: null',
    'if (token == null) return',
    'const token = getToken();',
  ],
  ...['password => hash(password)', 'PWD=/home/me', 'cookies are tasty', 'credentials are checked by the server'],
  // Digests, ids, numbers
  ...['0199a2f4-5c1e-7abc-8def-0123456789ab', hex(40), hex(64), `commit ${hex(40)}`, `sha256:${hex(64)}`],
  ...[
    `sha512-${'abcd'.repeat(10)}`,
    'T-0001',
    '2026-11-17T13:00:00.000Z',
    '192.0.2.1:8080',
    '00:1b:44:11:3a:b7',
    '1,000,000',
  ],
  ...['3.14159265358979', '0x7fffffffffffffff', '+49 30 1234567', '12:30:45', '1700000000000', `etag "${hex(32)}"`],
  // Files, addresses, code
  ...[
    '/usr/lib/node_modules/npm/bin/npm-cli.js',
    'C:\\Users\\me\\secrets.txt',
    '~/.ssh/known_hosts',
    'src/redact/tokens.ts',
  ],
  ...[
    'https://host:8080/a@b',
    'https://example.test/?page=2&sort=name',
    'https://me@example.test/',
    'mailto:me@example.test',
  ],
  ...[
    'git@github.com:me/it.git',
    'ssh://git@example.test/me/it',
    'http://127.0.0.1:3000/mcp',
    'file:///tmp/x',
    '@scope/package',
  ],
  ...['docker run -u 1000:1000 image', 'sk-learn pipelines', 'sk-fading-circle-container', 're_export_everything_here'],
  ...[
    'npm_config_registry',
    'npm_lifecycle_event=test',
    'hf_transfer',
    'key-value-store',
    'ghp_short',
    'xoxo',
    'pat-a-cake',
  ],
  ...[
    '-----BEGIN CERTIFICATE-----',
    '-----BEGIN PUBLIC KEY-----',
    'SELECT token_id FROM t',
    'AKIA is a prefix',
    'eyJ is how JSON begins',
  ],
  ...[
    'SKU12345',
    'EAAA',
    'a.b.c.d',
    'version 1.0-beta.2',
    'Q~',
    'data:image/png;base64,iVBORw0KGgo=',
    'x=1; y=2',
    '日本語: パスワード',
  ],
];
