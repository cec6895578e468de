import type pg from 'pg'

export interface NewClient {
  readonly name: string
  readonly displayName?: string
  readonly realmId: string
}

/** A record that logs in with a client of its own, which is named after it. */
export interface ClientOwner {
  readonly id: string
  readonly realmId: string
}

/** The client of a record: its names are the record's id, for programs as well as for people. */
export function clientFor({ id, realmId }: ClientOwner): NewClient {
  return { name: id, displayName: id, realmId }
}

/** A client that is attached to its record; where that was a change of a record, others are told of it after their owner. */
export interface AttachedClient {
  readonly recordEvent: () => Promise<void>
}

/** The client of a record that is about to be written. */
export interface NewRecordClient {
  readonly id: string
  /** In the record's transaction: the client is not for nothing. */
  readonly attach: (transaction: pg.ClientBase) => Promise<AttachedClient>
}

/**
 * How records get their clients: either both are there in the end, or neither is.
 */
export interface RecordClients {
  /** Does the work that writes a record with its client's id, and has to attach the client in its transaction. */
  withClient<T>(owner: ClientOwner, work: (client: NewRecordClient) => Promise<T>): Promise<T>
}
