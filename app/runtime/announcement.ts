import { embeddedDrivers } from '#configuration/embedded_drivers'
import type { InitialSecretOwner } from '#configuration/initial_secrets'
import { firstLoginRows, generatedSecretRows } from './first_login.js'
import { publicPrefix } from '#configuration/surfaces'
import type { ProgramEnvironment } from './program_environment.js'
import type { Env } from '#configuration/variables'

interface StartReport extends ProgramEnvironment {
  milliseconds: number
  /** The open ports. */
  ports: { web?: number; admin: number }
  /** Additional rows, such as migrations that ran. */
  facts: readonly (readonly [name: string, value: string])[]
  /** The accounts without a stored secret before the start. */
  ownersWithoutSecret: readonly InitialSecretOwner[]
}

/** Prints what runs and where, the embedded drivers, and warnings. */
export function announce(report: StartReport): void {
  const { env, warnings, milliseconds, ports, facts, ownersWithoutSecret } = report
  const admin = `http://${env.ADMIN_HOST}:${ports.admin}`
  const rows = [
    ...(ports.web === undefined ? [] : surfaceRows(env)),
    ...(ports.web === undefined ? [] : [['listens', `${env.HOST}:${ports.web}`]]),
    ['health', `${admin}/health/ready`],
    ['metrics', `${admin}/metrics`],
    ...(env.JOBS.length > 0 ? [['jobs', env.JOBS.join(', ')]] : []),
    ...facts,
    ...generatedSecretRows(ownersWithoutSecret, env),
    ...embeddedDrivers(env).map(({ description }) => ['embedded', description]),
    ...warnings.map((warning) => ['warning', warning]),
  ]
  const lines = rows.map(([name, value]) => `  ${name!.padEnd(10)} ${value}`)
  console.log(
    [`Analysis Hub is ready after ${(milliseconds / 1000).toFixed(1)} s.`, ...lines].join('\n')
  )
}

function surfaceRows(env: Env): string[][] {
  const base = env.PUBLIC_URL.replace(/\/$/, '')
  const surfaces = env.SURFACES.map((name) => [name, `${base}${publicPrefix(name, env.SURFACES)}/`])
  return [
    ...surfaces,
    ...(env.DOCS_ENABLED ? [['docs', `${base}/docs`]] : []),
    ...(env.SURFACES.includes('identity') ? firstLoginRows(env) : []),
  ]
}
