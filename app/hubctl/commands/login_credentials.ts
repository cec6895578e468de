import { UsageProblem } from '#hubctl/problem'
import { secretFor, textFor } from '#hubctl/output/prompts'
import type { ClientLogin, PersonLogin } from '#hubctl/platform/grants'

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
interface Written {
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
    return { type: 'token', token: tokenIn(await secretFor('access token', given(options))) }
  }
  if (options.stdin) {
    const text = await secretFor('password or secret', { stdin: true })
    return of(options, writtenIn(text) ?? secretAlone(options, text))
  }
  if (options.client !== undefined) {
    return of(options, { secret: await secretFor('secret', { stdin: false }) })
  }
  const user = options.user ?? (await textFor('user name', 'admin'))
  return of({ ...options, user }, { password: await secretFor('password', { stdin: false }) })
}

const given = ({ stdin = false }: CredentialOptions) => ({ stdin })

/** Options win over what was written. */
function of(options: CredentialOptions, written: Written): Credentials {
  const { secret, password } = written
  const { realm } = options
  const id = options.client ?? written.clientId ?? written.id
  if (secret !== undefined && id !== undefined && options.user === undefined) {
    return { type: 'client', client: { id, secret, ...(realm !== undefined && { realm }) } }
  }
  const user = options.user ?? written.user
  if (password !== undefined && user !== undefined && options.client === undefined) {
    return { type: 'person', person: { user, password, realm: realm ?? written.realm ?? MASTER } }
  }
  throw new UsageProblem(
    'Standard input does not say whose it is.',
    'Say --user, --client or --token, or give what --to wrote.'
  )
}

function secretAlone({ client }: CredentialOptions, text: string): Written {
  return client === undefined ? { password: text } : { secret: text }
}

/** A JSON object with a secret in it is what `--to` writes; all else is a secret itself. */
function writtenIn(text: string): Written | undefined {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return undefined
  }
  return isWritten(content) ? content : undefined
}

function isWritten(content: unknown): content is Written {
  if (typeof content !== 'object' || content === null) {
    return false
  }
  const { secret, password } = content as Written
  return [secret, password].some((one) => typeof one === 'string' && one !== '')
}

function tokenIn(text: string): string {
  const token = text.trim()
  if (/\s/.test(token)) {
    throw new UsageProblem('That is no access token: it has spaces in it.')
  }
  return token
}
