import { embeddedDrivers } from '#configuration/embedded_drivers'
import { publicPrefix } from '#runtime/surfaces'
import { env, warnings } from '#start/env'

interface Started {
  migrated: readonly string[]
  milliseconds: number
}

/**
 * Tells the person at the terminal what runs and where, what is embedded, and what deserves a second thought.
 */
export function announce({ migrated, milliseconds }: Started): void {
  const base = env.PUBLIC_URL.replace(/\/$/, '')
  const surfaces = env.SURFACES.map((name) => [name, `${base}${publicPrefix(name, env.SURFACES)}/`])
  const rows = [
    ...surfaces,
    ...(env.DOCS_ENABLED ? [['docs', `${base}/docs`]] : []),
    ['health', `http://${env.HOST}:${env.ADMIN_PORT}/health/ready`],
    ['metrics', `http://${env.HOST}:${env.ADMIN_PORT}/metrics`],
    ...(env.JOBS.length > 0 ? [['jobs', env.JOBS.join(', ')]] : []),
  ]
  const lines = [
    `Analysis Hub is ready after ${(milliseconds / 1000).toFixed(1)} s.`,
    ...rows.map(([name, value]) => `  ${name!.padEnd(10)} ${value}`),
    ...embeddedDrivers(env).map(({ says }) => `  embedded   ${says}`),
    ...(migrated.length > 0
      ? [`  tables     brought up to date: ${migrated.length} migrations`]
      : []),
    ...warnings.map((warning) => `  warning    ${warning}`),
  ]
  console.log(lines.join('\n'))
}
