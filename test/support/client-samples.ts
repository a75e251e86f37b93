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
  /** The client would use another file if the files of the other samples were there. */
  readonly isAlone?: true;
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

const COPILOT = `{
  // mine
  "mcpServers": {
    "one": { "tools": ["*"], "type": "local", "command": "node", "args": ["x.js", "serve"], "env": { "A": "1" } },
    "web": { "tools": ["a"], "type": "http", "url": "https://web.example/mcp", "headers": { "Authorization": "Bearer \${T}" } },
  },
}
`;

const GEMINI = `{
  // what I like
  "theme": "Default",
  "mcpServers": {
    "one": {
      "command": "node",
      "args": [
        "x.js"
      ],
      "env": {
        "A": "$A"
      }
    },
    "web": { "url": "https://web.example/mcp", "type": "http" }
  },
  "mcp": { "excluded": ["off"] }
}`;

const QWEN = `{
  "mcpServers": {
    "web": {
      "httpUrl": "https://web.example/mcp",
      "headers": {
        "Authorization": "Bearer t"
      }
    }
  },
  "$version": 4
}`;

const OPENCODE = `{
  "$schema": "https://opencode.ai/config.json",
  /* servers */
  "mcp": {
    "one": { "type": "local", "command": ["node", "x.js"], "environment": { "A": "{env:A}" } }, // one
    "web": { "type": "remote", "url": "https://web.example/mcp" },
  },
}
`;

const CLINE = `{
  "mcpServers": {
    "one": {
      "transport": {
        "type": "stdio",
        "command": "node",
        "args": [
          "x.js"
        ]
      }
    },
    "old": { "command": "node", "args": ["y.js"], "disabled": true, "autoApprove": [] }
  }
}
`;

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
    name: 'Copilot CLI, user',
    client: 'copilot',
    scope: 'user',
    path: 'home/.copilot/mcp-config.json',
    text: COPILOT,
    keeps: ['// mine', '"Authorization": "Bearer ${T}" } },\n'],
  },
  {
    name: 'Copilot CLI, project, CRLF',
    client: 'copilot',
    scope: 'project',
    path: 'project/.github/mcp.json',
    text: COPILOT.replaceAll('\n', '\r\n'),
    keeps: ['// mine\r\n'],
    isAlone: true,
  },
  {
    name: 'Gemini CLI, user, comments',
    client: 'gemini',
    scope: 'user',
    path: 'home/.gemini/settings.json',
    text: GEMINI,
    keeps: ['// what I like', '"theme": "Default"', '"mcp": { "excluded": ["off"] }\n}'],
  },
  {
    name: 'Gemini CLI, project',
    client: 'gemini',
    scope: 'project',
    path: 'project/.gemini/settings.json',
    text: GEMINI,
    keeps: ['// what I like'],
  },
  {
    name: 'Qwen Code, user',
    client: 'qwen',
    scope: 'user',
    path: 'home/.qwen/settings.json',
    text: QWEN,
    keeps: ['  "$version": 4\n}'],
  },
  {
    name: 'Qwen Code, project, a byte order mark',
    client: 'qwen',
    scope: 'project',
    path: 'project/.qwen/settings.json',
    text: `\uFEFF${QWEN}`,
    keeps: ['\uFEFF{\n', '"$version": 4'],
  },
  {
    name: 'opencode, user, the .jsonc that opencode makes',
    client: 'opencode',
    scope: 'user',
    path: 'home/config/opencode/opencode.jsonc',
    text: OPENCODE,
    keeps: ['/* servers */', '}, // one', '"$schema": "https://opencode.ai/config.json"'],
  },
  {
    name: 'opencode, project, in its folder',
    client: 'opencode',
    scope: 'project',
    path: 'project/.opencode/opencode.json',
    text: OPENCODE,
    keeps: ['/* servers */'],
  },
  {
    name: 'Cline, user',
    client: 'cline',
    scope: 'user',
    path: 'home/.cline/data/settings/cline_mcp_settings.json',
    text: CLINE,
    keeps: ['"autoApprove": [] }'],
  },
  {
    name: 'Cline, no file',
    client: 'cline',
    scope: 'user',
    path: 'home/.cline/data/settings/cline_mcp_settings.json',
    text: undefined,
    keeps: [],
  },
  {
    name: 'Copilot CLI, no file',
    client: 'copilot',
    scope: 'user',
    path: 'home/.copilot/mcp-config.json',
    text: undefined,
    keeps: [],
  },
  {
    name: 'Gemini CLI, no file',
    client: 'gemini',
    scope: 'user',
    path: 'home/.gemini/settings.json',
    text: undefined,
    keeps: [],
  },
  {
    name: 'Qwen Code, no file',
    client: 'qwen',
    scope: 'user',
    path: 'home/.qwen/settings.json',
    text: undefined,
    keeps: [],
  },
  {
    name: 'opencode, no file',
    client: 'opencode',
    scope: 'user',
    path: 'home/config/opencode/opencode.json',
    text: undefined,
    keeps: [],
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
