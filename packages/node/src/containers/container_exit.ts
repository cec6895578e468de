import { constants } from 'node:os'

import type { ContainerExit, EndReport } from './container_driver.js'

const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals])
)

/** Runtimes report a signal as 128 plus its number, as shells do. */
export function exitOf(status: number, report?: EndReport): ContainerExit {
  const signal = SIGNALS.get(status - 128)
  return signal ? { code: null, signal, ...report } : { code: status, signal: null, ...report }
}
