import { BubblewrapDriver } from '#node/containers/bubblewrap/bubblewrap_driver'
import type { ContainerDriver } from '#node/containers/container_driver'
import { RuncDriver } from '#node/containers/runc/runc_driver'
import { canBeNobody, NOBODY } from '#tests/helpers/unprivileged'
import { RemoteDriver } from './remote_driver.js'

export const AS_NOBODY = [
  ...['setpriv', '--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups', '--'],
]

/** A driver, and the account of the node that has it. */
export interface Seat {
  readonly name: string
  readonly account: number
  readonly open: (folder: string) => ContainerDriver & { close?: () => Promise<void> }
}

const SEATS: readonly Seat[] = [
  { name: 'bubblewrap', account: 0, open: (folder) => new BubblewrapDriver(folder) },
  { name: 'runc', account: 0, open: (folder) => new RuncDriver(folder) },
  {
    name: 'bubblewrap, without privileges',
    account: NOBODY,
    open: (folder) => new RemoteDriver(folder, AS_NOBODY),
  },
]

/** Those that this process can take. */
export const containerSeats = (): readonly Seat[] =>
  SEATS.filter(({ account }) =>
    account === NOBODY ? canBeNobody() : process.getuid?.() === account
  )
