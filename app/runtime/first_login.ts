import {
  configuredSecret,
  persistentSecretOf,
  DEFAULT_SECRET,
  type InitialSecretOwner,
} from '#configuration/initial_secrets'
import { isLoopback } from '#configuration/loopback'
import { publicPrefix } from '#configuration/surfaces'
import { env } from '#start/env'

type Row = [name: string, value: string]

/** Where a first password comes from, and how curl takes it from there without that others see it. */
interface PasswordSource {
  readonly description: string
  readonly curl: string
  readonly password: string
}

/** Who can log in at first, and what an operator types to find out that it works. No secret is among it. */
export function firstLoginRows(): Row[] {
  const { description: says, curl, password } = passwordSource()
  const base = env.PUBLIC_URL.replace(/\/$/, '')
  const surface = (name: 'core' | 'identity') => base + publicPrefix(name, env.SURFACES)
  const form = `-d grant_type=password -d username=admin ${password}`
  const token = String.raw`sed 's/.*"access_token":"\([^"]*\)".*/\1/'`
  const nodes = `curl -s ${surface('core')}/nodes -H "Authorization: Bearer $TOKEN"`
  return [
    ['login', `admin of the realm master; its first password is ${says}`],
    ['try', `TOKEN=$(${curl} -s ${surface('identity')}/token ${form} | ${token})`],
    ...(env.SURFACES.includes('core') ? [['and', nodes] satisfies Row] : []),
  ]
}

/** The secrets that this start made up. They are shown this once. */
export function generatedSecretRows(ownersWithoutSecret: readonly InitialSecretOwner[]): Row[] {
  const owners = { administrator: 'user admin', platform: `client ${env.CLIENT_ID}` }
  return ownersWithoutSecret.flatMap((whose) => {
    const stored = persistentSecretOf(whose, env)
    const secret = stored.read()
    const description = `${secret} is the first of the ${owners[whose]}, made up now, shown this once and kept in ${stored.file}`
    return secret === undefined ? [] : [['secret', description] satisfies Row]
  })
}

function passwordSource(): PasswordSource {
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
    description: `${DEFAULT_SECRET}, since only this machine can try it`,
    curl: 'curl',
    password: `-d password=${DEFAULT_SECRET}`,
  }
}

const shellQuoted = (text: string) =>
  /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
