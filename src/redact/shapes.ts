// The shapes of tokens that are recognized without the words around them. A new vendor is a new row. Prefixes with which ordinary words
// also begin require a digit after them.

/** The characters that may follow a token's prefix. `word`: letters, digits and `_`; `dash`: these and `-`; `any`: every character of tokens. */
export type Charset = 'hex' | 'alnum' | 'word' | 'dash' | 'any';

export interface TokenShape {
  readonly vendor: string;
  readonly prefixes: readonly string[];
  readonly chars: Charset;
  /** The least number of characters after the prefix. */
  readonly least: number;
  /** True if there must be a digit after the prefix. */
  readonly digit?: true;
}

const shape = (
  vendor: string,
  prefixes: string,
  chars: Charset,
  least: number,
  ...[digit]: readonly true[]
): TokenShape => ({ vendor, prefixes: prefixes.split(' '), chars, least, ...(digit && { digit }) });

export const TOKEN_SHAPES: readonly TokenShape[] = [
  // Clouds
  shape('AWS', 'AKIA ASIA ABIA ACCA', 'alnum', 16, true),
  shape('AWS Bedrock', 'ABSK', 'any', 60, true),
  shape('Google API key', 'AIza', 'dash', 30),
  shape('Google OAuth', 'ya29. GOCSPX-', 'any', 20),
  shape('Google refresh token', '1//0', 'dash', 30),
  shape('DigitalOcean', 'dop_v1_ doo_v1_ dor_v1_', 'hex', 40),
  shape('Alibaba', 'LTAI', 'alnum', 16, true),
  shape('Tencent', 'AKID', 'alnum', 28, true),
  shape('Yandex', 'AQVN y0_Ag t1.9eu', 'any', 30),
  shape('Hetzner, Scaleway', 'SCW', 'alnum', 17, true),
  shape('Heroku', 'HRKU-', 'dash', 32),
  shape('Fly.io', 'fo1_ fm1_ fm2_ fm1r_', 'any', 30),
  shape('Cloudflare origin', 'v1.0-', 'dash', 100, true),
  shape('Netlify', 'nfp_', 'alnum', 30),
  shape('Databricks', 'dapi', 'hex', 32),
  shape('PlanetScale', 'pscale_tkn_ pscale_pw_ pscale_oauth_', 'any', 30),
  shape('Supabase', 'sbp_ sb_secret_', 'dash', 20, true),
  shape('Tailscale', 'tskey-', 'dash', 16, true),
  shape('HashiCorp Vault', 'hvs. hvb. hvr.', 'dash', 20),
  shape('Pulumi', 'pul-', 'hex', 40),
  shape('Doppler', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', 'any', 20, true),
  shape('1Password', 'ops_ey', 'any', 60),
  shape('Cloudflare', 'cfut_ cfat_ cfk_', 'word', 30, true),
  shape('Vercel', 'vercel_ vcp_ vci_ vca_ vcr_ vck_', 'alnum', 24, true),
  shape('Render', 'rnd_', 'alnum', 24, true),
  shape('Neon', 'napi_', 'alnum', 40, true),
  shape('Snyk', 'snyk_uat. snyk_sat.', 'any', 30),
  shape('Sonar', 'sqp_ squ_ sqa_', 'hex', 40),
  // Version control and CI
  shape('GitHub', 'ghp_ gho_ ghu_ ghs_ ghr_', 'word', 20),
  shape('GitHub fine-grained', 'github_pat_', 'word', 20),
  shape(
    'GitLab',
    'glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- glffct- gloas- GR1348941',
    'dash',
    16,
  ),
  shape('Bitbucket, Atlassian', 'ATBB ATATT3 ATCTT3', 'any', 24, true),
  shape('Buildkite', 'bkua_', 'hex', 30),
  shape('CircleCI', 'CCIPAT_ CCIPRJ_', 'word', 30),
  shape('Sourcegraph', 'sgp_ slk_', 'word', 30, true),
  // Chat and mail
  shape('Slack', 'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxp- xapp-', 'dash', 10),
  shape('SendGrid', 'SG.', 'any', 50),
  shape('Mailgun', 'key-', 'hex', 32),
  shape('Brevo', 'xkeysib- xsmtpsib-', 'dash', 40),
  shape('Resend', 're_', 'word', 20, true),
  // Payment and trade
  shape('Stripe', 'sk_live_ sk_test_ rk_live_ rk_test_ whsec_', 'any', 16),
  shape('Square', 'sq0atp- sq0csp- sq0idp-', 'dash', 20),
  shape('Square', 'EAAA', 'dash', 56),
  shape('PayPal, Braintree', 'access_token$production$ access_token$sandbox$', 'alnum', 16),
  shape('Razorpay', 'rzp_live_ rzp_test_', 'alnum', 14),
  shape('Mercado Pago', 'APP_USR-', 'dash', 30, true),
  shape('Flutterwave', 'FLWSECK-', 'dash', 16),
  shape('Plaid', 'access-production- access-development- access-sandbox-', 'dash', 36, true),
  shape('Adyen', 'AQE', 'any', 100, true),
  shape('EasyPost', 'EZAK EZTK', 'alnum', 50),
  shape('Shopify', 'shpat_ shpca_ shppa_ shpss_', 'hex', 32),
  shape('Shippo', 'shippo_live_ shippo_test_', 'hex', 30),
  // Registries
  shape('npm', 'npm_', 'alnum', 30),
  shape('PyPI', 'pypi-AgEI', 'dash', 20),
  shape('RubyGems', 'rubygems_', 'hex', 40),
  shape('NuGet', 'oy2', 'alnum', 40, true),
  shape('Docker Hub', 'dckr_pat_ dckr_oat_', 'dash', 20),
  shape('crates.io', 'cio', 'alnum', 32, true),
  shape('JFrog', 'AKCp', 'alnum', 60, true),
  shape('JFrog', 'cmVmdGtu', 'any', 50),
  shape('Clojars', 'CLOJARS_', 'alnum', 50),
  // Models
  shape('OpenAI, DeepSeek, ElevenLabs', 'sk- sk_', 'dash', 16, true),
  // Tokens without a digit are recognized only if they are longer than any word.
  shape('OpenAI, DeepSeek', 'sk- sk_', 'alnum', 40),
  shape('OpenAI, Anthropic, OpenRouter', 'sk-proj- sk-ant- sk-or-v1- sk-svcacct-', 'dash', 16),
  shape('Hugging Face', 'hf_ api_org_', 'alnum', 30),
  shape('Replicate', 'r8_', 'alnum', 30),
  shape('Groq', 'gsk_', 'alnum', 40),
  shape('xAI', 'xai-', 'alnum', 40),
  shape('Perplexity', 'pplx-', 'alnum', 40),
  shape('Pinecone', 'pcsk_', 'word', 40),
  shape('LangSmith', 'lsv2_pt_ lsv2_sk_', 'word', 30),
  shape('Tavily', 'tvly-', 'dash', 20, true),
  shape('Firecrawl', 'fc-', 'hex', 32),
  shape('Voyage', 'pa-', 'dash', 40, true),
  shape('Together', 'tgp_v1_', 'dash', 36),
  shape('Fireworks', 'fw_', 'alnum', 22, true),
  shape('Cerebras', 'csk-', 'alnum', 40, true),
  shape('NVIDIA', 'nvapi-', 'dash', 40),
  // Other services
  shape('Notion', 'ntn_ secret_', 'alnum', 36, true),
  shape('Linear', 'lin_api_ lin_oauth_', 'alnum', 32),
  shape('Figma', 'figd_ figu_', 'dash', 30),
  shape('Airtable', 'pat', 'alnum', 14, true),
  shape('HubSpot', 'pat-na1- pat-eu1- pat-na2-', 'dash', 30),
  shape('Grafana', 'glsa_ glc_', 'any', 30),
  shape('Sentry', 'sntrys_ sntryu_ sntrya_', 'any', 40),
  shape('New Relic', 'NRAK- NRJS- NRII- NRRA- NRIQ- NRSP-', 'dash', 16),
  shape('Dynatrace', 'dt0c01. dt0s01. dt0s02.', 'any', 40),
  shape('Datadog', 'ddapi_ ddpat_', 'word', 20),
  shape('PostHog', 'phx_ phs_', 'alnum', 30),
  shape('Postman', 'PMAK-', 'dash', 40),
  shape('Dropbox', 'sl.', 'dash', 60, true),
  shape('Contentful', 'CFPAT-', 'dash', 40),
  shape('Typeform', 'tfp_', 'any', 40),
  shape('Facebook', 'EAAC EAAB EAAG EAAE', 'alnum', 50, true),
  shape('Mapbox', 'sk.eyJ tk.eyJ', 'any', 30),
  // base64 of `-----BEGIN `, then PRIVATE, RSA, EC, DSA, OPENSSH, ENCRYPTED, PGP PRIVATE
  shape(
    'key file in base64',
    'LS0tLS1CRUdJTiBQUklWQVRF LS0tLS1CRUdJTiBSU0Eg LS0tLS1CRUdJTiBFQy LS0tLS1CRUdJTiBEU0Eg LS0tLS1CRUdJTiBPUEVOU1NI LS0tLS1CRUdJTiBFTkNSWVBUR LS0tLS1CRUdJTiBQR1AgUFJJVkFUR',
    'any',
    40,
  ),
  shape('age', 'AGE-SECRET-KEY-1', 'alnum', 40),
  shape('WireGuard, Prefect', 'pnu_ pnb_', 'alnum', 30),
  shape('ReadMe', 'rdme_', 'alnum', 40),
  shape('Duffel', 'duffel_live_ duffel_test_', 'any', 30),
  shape('Frame.io', 'fio-u-', 'any', 40),
  shape('WakaTime', 'waka_', 'dash', 30),
  shape('Infracost', 'ico-', 'alnum', 32, true),
  shape('Lob', 'live_pub_ live_', 'hex', 32, true),
  shape('Atlassian, JFrog access tokens', 'eyJ2ZXIiOi', 'any', 60),
];

/** A shape of tokens without a fixed prefix. Length and `mark` are tested first and rule most texts out. Every repetition is bounded. */
export interface MarkedShape {
  readonly vendor: string;
  /** The least number of characters in a run of token characters that can hold such a token. */
  readonly least: number;
  readonly mark: string;
  readonly find: RegExp;
}

export const MARKED_SHAPES: readonly MarkedShape[] = [
  { vendor: 'JWT: header and payload are JSON objects', least: 15, mark: '.eyJ', find: /(?<!\w)eyJ[\w-]{5,512}\.eyJ/g },
  { vendor: 'Discord', least: 57, mark: '.', find: /(?<!\w)[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}/g },
  { vendor: 'Terraform Cloud', least: 53, mark: '.atlasv1.', find: /(?<!\w)\w{14}\.atlasv1\.[\w-]{30,100}/g },
  { vendor: 'Azure client secret', least: 37, mark: 'Q~', find: /(?<!\w)[\w~.-]{3}\dQ~[\w~.-]{31,34}/g },
  { vendor: 'Azure storage, 64 bytes', least: 88, mark: '==', find: /(?<![\w+/=-])[A-Za-z0-9+/]{86}==(?![\w=])/g },
  { vendor: 'Azure DevOps', least: 58, mark: 'AZDO', find: /(?<!\w)[A-Za-z0-9]{50,90}AZDO[A-Za-z0-9]{4}/g },
  { vendor: 'Mailchimp', least: 36, mark: '-us', find: /(?<!\w)[0-9a-f]{32}-us\d{1,2}(?!\w)/g },
  { vendor: 'Twilio', least: 34, mark: 'SK', find: /(?<!\w)SK[0-9a-f]{32}(?!\w)/g },
  {
    vendor: 'Slack webhook',
    least: 40,
    mark: 'hooks.slack.com/',
    find: /(?<=hooks\.slack\.com\/(?:services|workflows)\/)[\w/-]{20,200}/g,
  },
  { vendor: 'Teams webhook', least: 46, mark: 'IncomingWebhook/', find: /(?<=IncomingWebhook\/)[\w/-]{30,200}/g },
  { vendor: 'Zapier webhook', least: 23, mark: '/hooks/catch/', find: /(?<=\/hooks\/catch\/)\d{4,12}\/\w{5,40}/g },
  { vendor: 'IFTTT webhook', least: 26, mark: '/with/key/', find: /(?<=\/with\/key\/)[\w-]{16,80}/g },
  { vendor: 'crypt', least: 24, mark: '$', find: /\$(?:2[abxy]\$\d\d\$[\w./]{53}|[156y7]\$[\w./$=]{20,200})/g },
  {
    vendor: 'argon2, scrypt, pbkdf2',
    least: 15,
    mark: '$',
    find: /\$(?:argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,16})\$/g,
  },
  // The form of most new tokens: a short name, then letters of both cases and digits, longer than any id.
  {
    vendor: 'others',
    least: 43,
    mark: '',
    find: /(?<![\w.+/=-])(?!sha\d|md\d|h\d)[a-z][a-z\d]{1,9}(?:[_-][a-z\d]{1,9}){0,2}[_-](?=[a-z\d]{0,24}[A-Z])(?=[A-Z\d]{0,24}[a-z])(?=[A-Za-z]{0,24}\d)[A-Za-z\d]{40,}/g,
  },
  {
    vendor: 'Discord webhook',
    least: 55,
    mark: '/api/webhooks/',
    find: /(?<=\/api\/webhooks\/)\d{10,24}\/[\w-]{30,100}/g,
  },
];
