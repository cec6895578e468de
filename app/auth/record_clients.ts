import type pg from 'pg'

export interface NewClient {
  readonly name: string
  readonly displayName?: string
  readonly realmId: string
}

/** A record that logs in with a client of its own, which is named after it. */
export interface Owner {
  readonly id: string
  readonly realmId: string
}

/** The client of a record: its names are the record's id, for programs as well as for people. */
export function clientFor({ id, realmId }: Owner): NewClient {
  return { name: id, displayName: id, realmId }
}

/**
 * How records get their clients: either both are there in the end, or neither is.
 */
export interface RecordClients {
  /** Does the work that writes a record, which is told its client's id and has to call `keep` in its transaction. */
  around<T>(owner: Owner, work: (clientId: string) => Promise<T>): Promise<T>

  /** In the record's transaction: its client is not for nothing. */
  keep(transaction: pg.ClientBase, owner: Owner, clientId: string): Promise<void>
}
