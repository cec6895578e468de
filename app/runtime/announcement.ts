import { embeddedDrivers } from '#configuration/embedded_drivers'
import { publicPrefix } from '#runtime/surfaces'
import { env, warnings } from '#start/env'

interface Started {
  milliseconds: number
  /** The ports that are open, by what they are for. */
  ports: { web?: number; admin: number }
  /** What happened at the start, or runs now, beyond what the configuration says. */
  facts: readonly (readonly [name: string, value: string])[]
}

/**
 * Tells the person at the terminal what runs and where, what is embedded, and what deserves a second thought.
 */
export function announce({ milliseconds, ports, facts }: Started): void {
  const admin = `http://${env.ADMIN_HOST}:${ports.admin}`
  const rows = [
    ...(ports.web === undefined ? [] : surfaceRows()),
    ...(ports.web === undefined ? [] : [['listens', `${env.HOST}:${ports.web}`]]),
    ['health', `${admin}/health/ready`],
    ['metrics', `${admin}/metrics`],
    ...(env.JOBS.length > 0 ? [['jobs', env.JOBS.join(', ')]] : []),
    ...facts,
    ...embeddedDrivers(env).map(({ says }) => ['embedded', says]),
    ...warnings.map((warning) => ['warning', warning]),
  ]
  const lines = rows.map(([name, value]) => `  ${name!.padEnd(10)} ${value}`)
  console.log(
    [`Analysis Hub is ready after ${(milliseconds / 1000).toFixed(1)} s.`, ...lines].join('\n')
  )
}

function surfaceRows(): string[][] {
  const base = env.PUBLIC_URL.replace(/\/$/, '')
  const surfaces = env.SURFACES.map((name) => [name, `${base}${publicPrefix(name, env.SURFACES)}/`])
  return [
    ...surfaces,
    ...(env.DOCS_ENABLED ? [['docs', `${base}/docs`]] : []),
    ...(env.SURFACES.includes('identity') ? firstLogin() : []),
  ]
}

/** Who can log in at first, and how somebody finds out that it works; a password is never among it. */
function firstLogin(): string[][] {
  const base = env.PUBLIC_URL.replace(/\/$/, '')
  const token = `${base}${publicPrefix('identity', env.SURFACES)}/token`
  const form = '-d grant_type=password -d username=admin -d password=…'
  return [
    [
      'login',
      'admin of the realm master; its first password is IDENTITY_ADMIN_PASSWORD, outside production start123 where that is unset',
    ],
    ['try', `curl -s ${token} ${form}`],
    ...(env.SURFACES.includes('core')
      ? [
          [
            'and',
            `curl -s ${base}${publicPrefix('core', env.SURFACES)}/nodes -H "Authorization: Bearer <access_token>"`,
          ],
        ]
      : []),
  ]
}
