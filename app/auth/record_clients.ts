import type pg from 'pg'

export interface NewClient {
  readonly name: string
  readonly displayName?: string
  readonly realmId: string
}

/** A record with a client of its own, which is named after it. */
export interface ClientOwner {
  readonly id: string
  readonly realmId: string
}

/** The client of a record. Its names are the id of the record. */
export function clientFor({ id, realmId }: ClientOwner): NewClient {
  return { name: id, displayName: id, realmId }
}

/** A client attached to its record. Its event is recorded after that of the record. */
export interface AttachedClient {
  readonly recordEvent: () => Promise<void>
}

/** The client of a record that is about to be inserted. */
export interface NewRecordClient {
  readonly id: string
  /** Call in the transaction of the record; otherwise the client is removed again. */
  readonly attach: (transaction: pg.ClientBase) => Promise<AttachedClient>
}

/** Creates clients of records atomically: in the end either both exist or neither. */
export interface RecordClients {
  /** Runs work that inserts a record with the id of its client and attaches the client in the same transaction. */
  withClient<T>(owner: ClientOwner, work: (client: NewRecordClient) => Promise<T>): Promise<T>
}
