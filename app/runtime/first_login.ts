import {
  configuredSecret,
  persistentSecretOf,
  DEFAULT_SECRET,
  type InitialSecretOwner,
} from '#configuration/initial_secrets'
import { isLoopback } from '#configuration/loopback'
import { publicPrefix } from '#configuration/surfaces'
import type { Env } from '#configuration/variables'

type Row = [name: string, value: string]

/** Where the initial password is, and how curl reads it without exposing it to other users. */
interface PasswordSource {
  readonly description: string
  readonly curl: string
  readonly password: string
}

/** The initial login and commands to try it. Contains no secret. */
export function firstLoginRows(env: Env): Row[] {
  const { description, curl, password } = passwordSource(env)
  const base = env.PUBLIC_URL.replace(/\/$/, '')
  const surface = (name: 'core' | 'identity') => base + publicPrefix(name, env.SURFACES)
  const form = `-d grant_type=password -d username=admin ${password}`
  const token = String.raw`sed 's/.*"access_token":"\([^"]*\)".*/\1/'`
  const nodes = `curl -s ${surface('core')}/nodes -H "Authorization: Bearer $TOKEN"`
  return [
    ['login', `admin of the realm master; its initial password is ${description}`],
    ['try', `TOKEN=$(${curl} -s ${surface('identity')}/token ${form} | ${token})`],
    ...(env.SURFACES.includes('core') ? [['and', nodes] satisfies Row] : []),
  ]
}

/** The secrets that this start generated; shown only once. */
export function generatedSecretRows(
  ownersWithoutSecret: readonly InitialSecretOwner[],
  env: Env
): Row[] {
  const owners = { administrator: 'user admin', platform: `client ${env.CLIENT_ID}` }
  return ownersWithoutSecret.flatMap((whose) => {
    const stored = persistentSecretOf(whose, env)
    const secret = stored.read()
    const description = `${secret} is the initial secret of the ${owners[whose]}, generated now, shown only once and stored in ${stored.file}`
    return secret === undefined ? [] : [['secret', description] satisfies Row]
  })
}

function passwordSource(env: Env): PasswordSource {
  const { file } = persistentSecretOf('administrator', env)
  if (configuredSecret('administrator', env) !== undefined) {
    return {
      description: 'that in IDENTITY_ADMIN_PASSWORD',
      curl: `printf %s "$IDENTITY_ADMIN_PASSWORD" | curl`,
      password: '--data-urlencode password@-',
    }
  }
  if (persistentSecretOf('administrator', env).read() !== undefined || !isLoopback(env.HOST)) {
    return {
      description: `in the file ${file}`,
      curl: 'curl',
      password: `--data-urlencode ${shellQuoted(`password@${file}`)}`,
    }
  }
  return {
    description: `${DEFAULT_SECRET}, since only this machine can connect`,
    curl: 'curl',
    password: `-d password=${DEFAULT_SECRET}`,
  }
}

const shellQuoted = (text: string) =>
  /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
