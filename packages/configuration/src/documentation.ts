import type { Alias, Catalogue, Groups, Variable } from './catalogue.js'
import { describeAllowed, flatten, namesOf } from './catalogue.js'

type Documented = Pick<Catalogue<Groups>, 'groups'>

const INTRODUCTION = `# Configuration

Every variable of the environment. This page and \`.env.example\` are generated from
\`packages/configuration/src/variables.ts\` by \`npm run docs:generate\`.

## How values are read

- Values come from the environment of the process. A file \`.env\` in the working directory adds
  those that the environment does not set.
- Everything is checked before anything starts. All mistakes are reported at once, one line each,
  and the process does not start. The report never shows the value of a secret.
- An empty text counts as unset.
- A secret can be in a file: set \`<NAME>_FILE\` to its path instead of \`<NAME>\`, for example
  \`DATABASE_URL_FILE=/run/secrets/database-url\`. The last line break of the file is ignored. In
  production, \`node ace doctor\` warns of secrets that are in the environment.
- Switches take \`true\` or \`false\` (also \`1\`, \`yes\`, \`on\` and \`0\`, \`no\`, \`off\`). Lists are
  separated by commas. Sizes are bytes, or a number with a unit: \`64MiB\`, \`10GB\`. For limits, \`0\`
  means no limit.
- If a variable has an older name, both work, and the new name wins.
- An unknown name that looks like a misspelling of an unset variable causes a warning.
- A process requires only what its \`SURFACES\` and \`JOBS\` need: one that serves messages alone needs
  no object store. A process without surfaces runs its jobs for all of them.`

const PRODUCTION = `## Production

With \`NODE_ENV=production\` the process starts only if

- the variables marked "required in production" are set, and \`IDENTITY_ADMIN_PASSWORD\` if it serves
  the embedded identity provider;
- no secret is \`start123\` or one of the examples on this page;
- you name each embedded driver that it would use. The start then lists those in use.

| Concern | Embedded, on request | Replaced by |
|---|---|---|
| database | \`DATABASE_URL=embedded\` | \`DATABASE_URL\`, or one \`…_DATABASE_URL\` per surface |
| message bus | \`AMQP_URL=memory\` | \`AMQP_URL\` |
| signals and cache | \`REDIS_URL=memory\` | \`REDIS_URL\` |
| files | \`STORAGE_PATH\` set to a folder | \`S3_ENDPOINT\`, \`S3_ACCESS_KEY\`, \`S3_SECRET_KEY\` |
| logs | \`LOGSTORE_URL=memory\` | \`LOGSTORE_URL\`, or both addresses that override it |
| identity | \`IDENTITY_EMBEDDED=true\` | \`IDENTITY_URL\` |

Outside production these values are accepted and mean the same as leaving the variable unset.`

/** The page that describes every variable, for `docs/configuration.md`. */
export function renderGuide({ groups }: Documented): string {
  const tables = Object.entries(groups).map(([concern, variables]) => {
    const rows = Object.entries(variables).map(([name, variable]) => guideRow(name, variable))
    const head = '| Variable | Default | Meaning | Older names |\n|---|---|---|---|'
    return [`### ${concern}`, '', head, ...rows].join('\n')
  })
  const sections = [INTRODUCTION, PRODUCTION, '## Variables', ...tables, aliasSection(groups)]
  return `${sections.join('\n\n')}\n`
}

/** A file that names every variable with its default, all commented out, for `.env.example`. */
export function renderExample({ groups }: Documented): string {
  const sections = Object.entries(groups).map(([concern, variables]) =>
    [
      `# ${concern}`,
      `# ${'-'.repeat(concern.length)}`,
      Object.entries(variables)
        .map(([name, variable]) => exampleEntry(name, variable))
        .join('\n\n'),
    ].join('\n')
  )
  const introduction = [
    '# Copy this file to .env and uncomment what you change. docs/configuration.md has the details.',
    '# Example secrets are refused in production.',
  ].join('\n')
  return `${[introduction, ...sections].join('\n\n')}\n`
}

function guideRow(name: string, variable: Variable): string {
  const example = variable.example ? ` Example: \`${variable.example}\`.` : ''
  const meaning = `${variable.description} *${facts(variable)}*${example}`
  const [, ...aliasNames] = namesOf(name, variable)
  const cells = [`\`${name}\``, shownDefault(variable), meaning, aliasNames.map(code).join(', ')]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function shownDefault({ defaultKeyword, default: fallback }: Variable): string {
  if (defaultKeyword !== undefined) {
    return code(defaultKeyword)
  }
  if (typeof fallback === 'object') {
    return fallback.description
  }
  if (fallback === undefined) {
    return 'unset'
  }
  return fallback === '' ? 'empty' : code(fallback)
}

function facts(variable: Variable): string {
  const sentences = [
    `Takes ${describeAllowed(variable)}.`,
    variable.secret ? 'Secret.' : '',
    variable.requiredInProduction ? 'Required in production.' : '',
  ]
  return sentences.filter((sentence) => sentence !== '').join(' ')
}

function exampleEntry(name: string, variable: Variable): string {
  const { defaultKeyword, default: fallback, example } = variable
  const literal = defaultKeyword ?? (typeof fallback === 'string' ? fallback : undefined)
  const notes = [
    variable.description,
    facts(variable),
    literal === undefined && typeof fallback === 'object'
      ? `Default: ${fallback.description}.`
      : '',
    example === undefined ? '' : `Example: ${example}`,
  ]
  return [
    ...notes.filter((note) => note !== '').map((note) => `# ${note}`),
    `#${name}=${literal ?? ''}`,
  ].join('\n')
}

function aliasSection(groups: Groups): string {
  const forms = new Map<string, Alias>()
  for (const alias of Object.values(flatten(groups)).flatMap(({ aliases = [] }) => aliases)) {
    if (typeof alias !== 'string') {
      forms.set(alias.names.join(), alias)
    }
  }
  const lines = [...forms.values()].map(
    ({ names, description }) => `- ${names.map(code).join(', ')}: ${description}`
  )
  return ['## Older names with a form of their own', '', ...lines].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}
