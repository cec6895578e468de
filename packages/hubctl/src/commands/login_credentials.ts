import { UsageProblem } from '#hubctl/problem'
import { readSecret, askForText } from '#hubctl/output/prompts'
import type { ClientLogin, PersonLogin } from '#hubctl/platform/token_client'

export interface CredentialOptions {
  readonly user?: string
  readonly client?: string
  readonly token?: boolean
  readonly realm?: string
  readonly stdin?: boolean
}

/** Credentials of a login. */
export type Credentials =
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'client'; readonly client: ClientLogin }
  | { readonly type: 'person'; readonly person: PersonLogin }

/** Credentials as `--to` writes them: a secret for a client, a password for a person. */
interface StoredCredentials {
  readonly id?: string
  readonly clientId?: string
  readonly secret?: string
  readonly user?: string
  readonly password?: string
  readonly realm?: string | null
}

const MASTER = 'master'

/** Completes the options by prompts, or from standard input: a secret, or credentials that `--to` wrote. */
export async function credentialsFor(options: CredentialOptions): Promise<Credentials> {
  if (options.token) {
    return {
      type: 'token',
      token: parseToken(await readSecret('access token', stdinOption(options))),
    }
  }
  if (options.stdin) {
    const text = await readSecret('password or secret', { stdin: true })
    return credentialsFrom(options, parseStored(text) ?? plainSecret(options, text))
  }
  if (options.client !== undefined) {
    return credentialsFrom(options, { secret: await readSecret('secret', { stdin: false }) })
  }
  const user = options.user ?? (await askForText('user name', 'admin'))
  return credentialsFrom(
    { ...options, user },
    { password: await readSecret('password', { stdin: false }) }
  )
}

const stdinOption = ({ stdin = false }: CredentialOptions) => ({ stdin })

/** Options take precedence over stored credentials. */
function credentialsFrom(options: CredentialOptions, stored: StoredCredentials): Credentials {
  const { secret, password } = stored
  const { realm } = options
  const id = options.client ?? stored.clientId ?? stored.id
  if (secret !== undefined && id !== undefined && options.user === undefined) {
    return { type: 'client', client: { id, secret, ...(realm !== undefined && { realm }) } }
  }
  const user = options.user ?? stored.user
  if (password !== undefined && user !== undefined && options.client === undefined) {
    return { type: 'person', person: { user, password, realm: realm ?? stored.realm ?? MASTER } }
  }
  throw new UsageProblem(
    'Standard input does not name the user or client.',
    'Pass --user, --client or --token, or input that --to wrote.'
  )
}

function plainSecret({ client }: CredentialOptions, text: string): StoredCredentials {
  return client === undefined ? { password: text } : { secret: text }
}

/** Input that is a JSON object with a secret is what `--to` writes; any other input is the secret itself. */
function parseStored(text: string): StoredCredentials | undefined {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return undefined
  }
  return isStoredCredentials(content) ? content : undefined
}

function isStoredCredentials(content: unknown): content is StoredCredentials {
  if (typeof content !== 'object' || content === null) {
    return false
  }
  const { secret, password } = content as StoredCredentials
  return [secret, password].some((one) => typeof one === 'string' && one !== '')
}

function parseToken(text: string): string {
  const token = text.trim()
  if (/\s/.test(token)) {
    throw new UsageProblem('The access token is invalid: it contains spaces.')
  }
  return token
}
