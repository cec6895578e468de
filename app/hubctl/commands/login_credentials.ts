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

/** What somebody logs in with. */
export type Credentials =
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'client'; readonly client: ClientLogin }
  | { readonly type: 'person'; readonly person: PersonLogin }

/** Credentials as `--to` writes them: of a client those with a secret, of a person those with a password. */
interface StoredCredentials {
  readonly id?: string
  readonly clientId?: string
  readonly secret?: string
  readonly user?: string
  readonly password?: string
  readonly realm?: string | null
}

const MASTER = 'master'

/** Asks for what the options leave open, or reads it from standard input: a secret, or the credentials that `--to` wrote. */
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

/** Options win over what was written. */
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
    'Standard input does not say whose it is.',
    'Say --user, --client or --token, or give what --to wrote.'
  )
}

function plainSecret({ client }: CredentialOptions, text: string): StoredCredentials {
  return client === undefined ? { password: text } : { secret: text }
}

/** A JSON object with a secret in it is what `--to` writes; all else is a secret itself. */
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
    throw new UsageProblem('That is no access token: it has spaces in it.')
  }
  return token
}
