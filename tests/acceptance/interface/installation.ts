import { randomBytes } from 'node:crypto'

import type { Group, Suite } from '@japa/runner/core'

import { startProgram, type Program } from './program.js'

/** The services whose interface is tested. */
export const SERVICES = ['core', 'storage', 'telemetry', 'messenger'] as const
export type Service = (typeof SERVICES)[number]

/** The secret of the client as which services call, at the provider that comes with the program started here. */
export const SERVICE_SECRET = randomBytes(32).toString('hex')

let program: Program | undefined
const stoppedBy = new WeakSet<Suite>()

/**
 * Lets the tests of a group talk to the installation that CORE_URL, STORAGE_URL, TELEMETRY_URL and MESSENGER_URL name.
 * What they do not name is answered by a program that is started once and stopped when the suite ends.
 */
export function useInstallation(group: Group): void {
  stopAfter(group.options.meta.suite)
  group.setup(async () => {
    if (!SERVICES.every(isForeign)) {
      program ??= await startProgram({ CLIENT_SECRET: SERVICE_SECRET })
    }
  })
}

/** The program that was started here, with nothing but embedded drivers, if any was. */
export const startedHere = (): Program | undefined => program

/** Where a path of a service is found. */
export function address(service: Service, path = '/'): string {
  return (named(service) ?? `${program?.origin}/${service}`) + path
}

/** Where a path of the provider is found that comes with the program started here. */
export function providerAddress(path: string): string {
  return `${program?.origin}/auth${path}`
}

/** Whether a service is one of an installation that runs already. */
export function isForeign(service: Service): boolean {
  return named(service) !== undefined
}

function stopAfter(suite: Suite): void {
  if (!stoppedBy.has(suite)) {
    stoppedBy.add(suite)
    suite.teardown(() => program?.stop())
  }
}

function named(service: Service): string | undefined {
  return process.env[`${service.toUpperCase()}_URL`]?.replace(/\/$/, '') || undefined
}
