import { join } from 'node:path'

import { ContainersUnavailable } from '#node/errors'
import { BubblewrapDriver } from '#node/containers/bubblewrap/bubblewrap_driver'
import type { ContainerDriver } from './container_driver.js'
import { RuncDriver } from '#node/containers/runc/runc_driver'

const DRIVERS = { bubblewrap: BubblewrapDriver, runc: RuncDriver }

export type Isolation = keyof typeof DRIVERS

export const ISOLATIONS = Object.keys(DRIVERS) as readonly Isolation[]

/**
 * Chooses a driver that works on this machine. The default is runc where it works, since control groups bound what no
 * process owns; else Bubblewrap.
 */
export async function containerDriver(
  isolation: Isolation | undefined,
  folder: string
): Promise<ContainerDriver> {
  const path = join(folder, 'containers')
  if (isolation === undefined) {
    const runc = new RuncDriver(path)
    if ((await runc.available()) === undefined) {
      return runc
    }
  }
  const driver = new DRIVERS[isolation ?? 'bubblewrap'](path)
  const reason = await driver.available()
  if (reason !== undefined) {
    throw new ContainersUnavailable(reason)
  }
  return driver
}
