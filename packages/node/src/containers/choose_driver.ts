import { join } from 'node:path'

import { ContainersUnavailable } from '#node/errors'
import { BubblewrapDriver } from '#node/containers/bubblewrap/bubblewrap_driver'
import type { ContainerDriver } from './container_driver.js'
import { RuncDriver } from '#node/containers/runc/runc_driver'

const DRIVERS = { bubblewrap: BubblewrapDriver, runc: RuncDriver }

export type Isolation = keyof typeof DRIVERS

export const ISOLATIONS = Object.keys(DRIVERS) as readonly Isolation[]

/** The driver of a node, which has to work on this machine. */
export async function containerDriver(
  isolation: Isolation,
  folder: string
): Promise<ContainerDriver> {
  const driver = new DRIVERS[isolation](join(folder, 'containers'))
  const reason = await driver.available()
  if (reason !== undefined) {
    throw new ContainersUnavailable(reason)
  }
  return driver
}
