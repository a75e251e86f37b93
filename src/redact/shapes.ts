// The shapes of tokens that are recognized without the words around them. A new vendor is a new line. Prefixes with which ordinary words
// also begin require a digit after them.

/** The characters that may follow a token's prefix. `word`: letters, digits and `_`; `dash`: these and `-`; `any`: every character of tokens. */
export type Charset = 'hex' | 'alnum' | 'word' | 'dash' | 'any';

export interface TokenShape {
  readonly prefixes: readonly string[];
  readonly chars: Charset;
  /** The least number of characters after the token's prefix. */
  readonly least: number;
  /** True if there must be a digit after the token's prefix. */
  readonly digit: boolean;
}

/** One kind of token per line: the vendor, the prefixes, the characters after the prefix and their least number, `digit` if one must be there. */
const TOKENS = `
  # Clouds
  AWS | AKIA ASIA ABIA ACCA | alnum 16 digit
  AWS Bedrock | ABSK | any 60 digit
  Google API key | AIza | dash 30
  Google OAuth | ya29. GOCSPX- | any 20
  Google refresh token | 1//0 | dash 30
  DigitalOcean | dop_v1_ doo_v1_ dor_v1_ | hex 40
  Alibaba | LTAI | alnum 16 digit
  Tencent | AKID | alnum 28 digit
  Yandex | AQVN y0_Ag t1.9eu | any 30
  Hetzner, Scaleway | SCW | alnum 17 digit
  Heroku | HRKU- | dash 32
  Fly.io | fo1_ fm1_ fm2_ fm1r_ | any 30
  Cloudflare origin | v1.0- | dash 100 digit
  Netlify | nfp_ | alnum 30
  Databricks | dapi | hex 32
  PlanetScale | pscale_tkn_ pscale_pw_ pscale_oauth_ | any 30
  Supabase | sbp_ sb_secret_ | dash 20 digit
  Tailscale | tskey- | dash 16 digit
  HashiCorp Vault | hvs. hvb. hvr. | dash 20
  Pulumi | pul- | hex 40
  Doppler | dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. | any 20 digit
  1Password | ops_ey | any 60
  Cloudflare | cfut_ cfat_ cfk_ | word 30 digit
  Vercel | vercel_ vcp_ vci_ vca_ vcr_ vck_ | alnum 24 digit
  Render | rnd_ | alnum 24 digit
  Neon | napi_ | alnum 40 digit
  Snyk | snyk_uat. snyk_sat. | any 30
  Sonar | sqp_ squ_ sqa_ | hex 40
  # Version control and CI
  GitHub | ghp_ gho_ ghu_ ghs_ ghr_ | word 20
  GitHub fine-grained | github_pat_ | word 20
  GitLab | glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- glffct- gloas- GR1348941 | dash 16
  Bitbucket, Atlassian | ATBB ATATT3 ATCTT3 | any 24 digit
  Buildkite | bkua_ | hex 30
  CircleCI | CCIPAT_ CCIPRJ_ | word 30
  Sourcegraph | sgp_ slk_ | word 30 digit
  # Chat and mail
  Slack | xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxp- xapp- | dash 10
  SendGrid | SG. | any 50
  Mailgun | key- | hex 32
  Brevo | xkeysib- xsmtpsib- | dash 40
  Resend | re_ | word 20 digit
  # Payment and trade
  Stripe | sk_live_ sk_test_ rk_live_ rk_test_ whsec_ | any 16
  Square | sq0atp- sq0csp- sq0idp- | dash 20
  Square | EAAA | dash 56
  PayPal, Braintree | access_token$production$ access_token$sandbox$ | alnum 16
  Razorpay | rzp_live_ rzp_test_ | alnum 14
  Mercado Pago | APP_USR- | dash 30 digit
  Flutterwave | FLWSECK- | dash 16
  Plaid | access-production- access-development- access-sandbox- | dash 36 digit
  Adyen | AQE | any 100 digit
  EasyPost | EZAK EZTK | alnum 50
  Shopify | shpat_ shpca_ shppa_ shpss_ | hex 32
  Shippo | shippo_live_ shippo_test_ | hex 30
  # Registries
  npm | npm_ | alnum 30
  PyPI | pypi-AgEI | dash 20
  RubyGems | rubygems_ | hex 40
  NuGet | oy2 | alnum 40 digit
  Docker Hub | dckr_pat_ dckr_oat_ | dash 20
  crates.io | cio | alnum 32 digit
  JFrog | AKCp | alnum 60 digit
  JFrog | cmVmdGtu | any 50
  Clojars | CLOJARS_ | alnum 50
  # Models
  OpenAI, DeepSeek, ElevenLabs | sk- sk_ | dash 16 digit
  # Tokens without a digit are recognized only if they are longer than any word.
  OpenAI, DeepSeek | sk- sk_ | alnum 40
  OpenAI, Anthropic, OpenRouter | sk-proj- sk-ant- sk-or-v1- sk-svcacct- | dash 16
  Hugging Face | hf_ api_org_ | alnum 30
  Replicate | r8_ | alnum 30
  Groq | gsk_ | alnum 40
  xAI | xai- | alnum 40
  Perplexity | pplx- | alnum 40
  Pinecone | pcsk_ | word 40
  LangSmith | lsv2_pt_ lsv2_sk_ | word 30
  Tavily | tvly- | dash 20 digit
  Firecrawl | fc- | hex 32
  Voyage | pa- | dash 40 digit
  Together | tgp_v1_ | dash 36
  Fireworks | fw_ | alnum 22 digit
  Cerebras | csk- | alnum 40 digit
  NVIDIA | nvapi- | dash 40
  # Other services
  Notion | ntn_ secret_ | alnum 36 digit
  Linear | lin_api_ lin_oauth_ | alnum 32
  Figma | figd_ figu_ | dash 30
  Airtable | pat | alnum 14 digit
  HubSpot | pat-na1- pat-eu1- pat-na2- | dash 30
  Grafana | glsa_ glc_ | any 30
  Sentry | sntrys_ sntryu_ sntrya_ | any 40
  New Relic | NRAK- NRJS- NRII- NRRA- NRIQ- NRSP- | dash 16
  Dynatrace | dt0c01. dt0s01. dt0s02. | any 40
  Datadog | ddapi_ ddpat_ | word 20
  PostHog | phx_ phs_ | alnum 30
  Postman | PMAK- | dash 40
  Dropbox | sl. | dash 60 digit
  Contentful | CFPAT- | dash 40
  Typeform | tfp_ | any 40
  Facebook | EAAC EAAB EAAG EAAE | alnum 50 digit
  Mapbox | sk.eyJ tk.eyJ | any 30
  # base64 of "-----BEGIN ", then PRIVATE, RSA, EC, DSA, OPENSSH, ENCRYPTED, PGP PRIVATE
  key file in base64 | LS0tLS1CRUdJTiBQUklWQVRF LS0tLS1CRUdJTiBSU0Eg LS0tLS1CRUdJTiBFQy LS0tLS1CRUdJTiBEU0Eg | any 40
  key file in base64 | LS0tLS1CRUdJTiBPUEVOU1NI LS0tLS1CRUdJTiBFTkNSWVBUR LS0tLS1CRUdJTiBQR1AgUFJJVkFUR | any 40
  age | AGE-SECRET-KEY-1 | alnum 40
  WireGuard, Prefect | pnu_ pnb_ | alnum 30
  ReadMe | rdme_ | alnum 40
  Duffel | duffel_live_ duffel_test_ | any 30
  Frame.io | fio-u- | any 40
  WakaTime | waka_ | dash 30
  Infracost | ico- | alnum 32 digit
  Lob | live_pub_ live_ | hex 32 digit
  Atlassian, JFrog access tokens | eyJ2ZXIiOi | any 60
`;

const shapeOf = (line: string): TokenShape => {
  const [, prefixes = '', form = ''] = line.split(' | ');
  const [chars, least, digit] = form.split(' ');
  return { prefixes: prefixes.split(' '), chars: chars as Charset, least: Number(least), digit: digit === 'digit' };
};

export const TOKEN_SHAPES: readonly TokenShape[] = TOKENS.split('\n')
  .filter((line) => line.includes(' | '))
  .map(shapeOf);

/** A shape of tokens without a fixed prefix. Length and `mark` are tested first and rule most texts out. Every repetition is bounded. */
export interface MarkedShape {
  readonly vendor: string;
  /** The least length of a run of token characters that can hold a token of this shape. */
  readonly least: number;
  readonly mark: string;
  readonly find: RegExp;
}

export const MARKED_SHAPES: readonly MarkedShape[] = [
  { vendor: 'JWT: header and payload are JSON objects', least: 15, mark: '.eyJ', find: /(?<!\w)eyJ[\w-]{5,512}\.eyJ/g },
  { vendor: 'Discord', least: 57, mark: '.', find: /(?<!\w)[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}/g },
  { vendor: 'Terraform Cloud', least: 53, mark: '.atlasv1.', find: /(?<!\w)\w{14}\.atlasv1\.[\w-]{30,100}/g },
  { vendor: 'Azure client secret', least: 37, mark: 'Q~', find: /(?<!\w)[\w~.-]{3}\dQ~[\w~.-]{31,34}/g },
  { vendor: 'Azure storage key, 64 bytes', least: 88, mark: '==', find: /(?<![\w+/=-])[A-Za-z0-9+/]{86}==(?![\w=])/g },
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
