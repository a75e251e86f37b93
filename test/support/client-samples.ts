// Files as clients and their users write them. `path` is relative to the test's folder, in which `home` and `project` lie.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: as the files have it

export interface Sample {
  readonly name: string;
  readonly client: string;
  readonly scope: 'user' | 'project' | 'local';
  readonly path: string;
  /** Undefined: there is no file yet. */
  readonly text: string | undefined;
  /** What must still stand in it afterwards. */
  readonly keeps: readonly string[];
}

const CURSOR = `{
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-github"],
      "env": { "GITHUB_PERSONAL_ACCESS_TOKEN": "\${env:GITHUB_TOKEN}" }
    },
    "docs": { "url": "https://docs.example/mcp", "headers": { "Authorization": "Bearer \${env:DOCS}" } }
  }
}
`;

const VSCODE = `// Servers of this workspace
{
	"inputs": [
		{ "type": "promptString", "id": "key", "description": "API key", "password": true },
	],
	"servers": {
		/* asks */
		"perplexity": {
			"type": "stdio",
			"command": "npx",
			"args": ["-y", "server-perplexity-ask"],
			"env": { "PERPLEXITY_API_KEY": "\${input:key}" }, // never written down
		},
		"web": { "type": "http", "url": "https://mcp.example/mcp" },
	},
}
`;

const CODEX = `# Codex
model = "gpt-6" # the usual one
approval_policy = "on-request"
notify = [
  "notify-send", # desktop
  "[mcp_servers.colibri]",
]

[mcp_servers.search]
command = "npx"
args = ["-y", "search-server"]
env_vars = ["SEARCH_KEY"]
startup_timeout_sec = 20

[mcp_servers.search.env]
LEVEL = 'debug'

# profiles
[profiles.fast]
model = "gpt-6-mini"
`;

const CLAUDE_STATE = `{
  "numStartups": 12,
  "installMethod": "native",
  "mcpServers": {
    "memory": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-memory"],
      "env": {}
    }
  },
  "projects": {
    "/elsewhere": { "allowedTools": [], "mcpServers": {}, "history": [] }
  }
}`;

const DESKTOP = `{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/Desktop"] }
  }
}`;

export const SAMPLES: readonly Sample[] = [
  {
    name: 'Claude Code, user',
    client: 'claude-code',
    scope: 'user',
    path: 'home/.claude.json',
    text: CLAUDE_STATE,
    keeps: ['"numStartups": 12', '"/elsewhere": { "allowedTools": [], "mcpServers": {}, "history": [] }'],
  },
  {
    name: 'Claude Code, local',
    client: 'claude-code',
    scope: 'local',
    path: 'home/.claude.json',
    text: CLAUDE_STATE,
    keeps: ['"server-memory"'.slice(1, -1), '"/elsewhere"'],
  },
  {
    name: 'Claude Code, project',
    client: 'claude-code',
    scope: 'project',
    path: 'project/.mcp.json',
    text: '{"mcpServers":{"a":{"type":"http","url":"https://a.example/mcp"}}}',
    keeps: ['{"mcpServers":{"a":{"type":"http","url":"https://a.example/mcp"}'],
  },
  {
    name: 'Cursor, user',
    client: 'cursor',
    scope: 'user',
    path: 'home/.cursor/mcp.json',
    text: CURSOR,
    keeps: ['${env:DOCS}'],
  },
  {
    name: 'Cursor, project, CRLF and a byte order mark',
    client: 'cursor',
    scope: 'project',
    path: 'project/.cursor/mcp.json',
    text: `\uFEFF${CURSOR.replaceAll('\n', '\r\n')}`,
    keeps: ['\uFEFF{\r\n', '"docs": { "url": "https://docs.example/mcp"'],
  },
  {
    name: 'VS Code, project, comments and trailing commas',
    client: 'vscode',
    scope: 'project',
    path: 'project/.vscode/mcp.json',
    text: VSCODE,
    keeps: ['// Servers of this workspace', '/* asks */', '}, // never written down', '"password": true },\n\t],'],
  },
  {
    name: 'VS Code, user',
    client: 'vscode',
    scope: 'user',
    path: 'home/config/Code/User/mcp.json',
    text: '{\n    "servers": {},\n    "inputs": []\n}\n',
    keeps: ['    "inputs": []\n'],
  },
  { name: 'Codex, user', client: 'codex', scope: 'user', path: 'home/.codex/config.toml', text: CODEX, keeps: [CODEX] },
  {
    name: 'Codex, project, CRLF',
    client: 'codex',
    scope: 'project',
    path: 'project/.codex/config.toml',
    text: CODEX.replaceAll('\n', '\r\n'),
    keeps: [CODEX.replaceAll('\n', '\r\n')],
  },
  {
    name: 'Claude Desktop',
    client: 'claude-desktop',
    scope: 'user',
    path: 'home/config/Claude/claude_desktop_config.json',
    text: DESKTOP,
    keeps: ['"globalShortcut": "Ctrl+Space"'],
  },
  {
    name: 'Cursor, no file',
    client: 'cursor',
    scope: 'user',
    path: 'home/.cursor/mcp.json',
    text: undefined,
    keeps: [],
  },
  {
    name: 'Codex, no file',
    client: 'codex',
    scope: 'user',
    path: 'home/.codex/config.toml',
    text: undefined,
    keeps: [],
  },
  {
    name: 'VS Code, no file',
    client: 'vscode',
    scope: 'project',
    path: 'project/.vscode/mcp.json',
    text: undefined,
    keeps: [],
  },
  {
    name: 'Cursor, an empty file',
    client: 'cursor',
    scope: 'user',
    path: 'home/.cursor/mcp.json',
    text: '',
    keeps: [],
  },
];
