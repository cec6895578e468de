import type pg from 'pg'

import { DatabasePool } from '#database/database_pool'
import { pools } from '#database/pools'

import type { Note } from './note.js'

const CONNECTIONS = 3

/** What a name ends with that the database refuses when everything else is done. */
export const REFUSED = 'refused'

/**
 * Written by the database itself within the transactions it writes of. Locks on a record are held meanwhile, so the numbers of
 * a record's changes are in the order in which they were kept.
 */
const JOURNAL = `
  create table chaos_journal (
    number bigint generated always as identity primary key,
    kind text not null,
    record uuid not null,
    change text not null,
    label text not null
  );
  create function chaos_note() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'UPDATE' or old.name <> new.name then
      insert into chaos_journal (kind, record, change, label) values ('node', coalesce(new.id, old.id),
        case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end,
        coalesce(new.name, old.name));
    end if;
    return null;
  end $$;
  create trigger chaos_note after insert or update or delete on nodes
    for each row execute function chaos_note()`

/** Lets a transaction come to its end, with all it wrote, and fail there. */
const REFUSAL = `
  create function chaos_refuse() returns trigger language plpgsql as $$
  begin
    raise exception 'nobody is called that' using errcode = 'unique_violation';
  end $$;
  create constraint trigger chaos_refuse after update on nodes deferrable initially deferred
    for each row when (new.name like '%-${REFUSED}') execute function chaos_refuse()`

const NOTE_COMMAND = `
  insert into chaos_journal (kind, record, change, label) values ('command', $1, 'commanded', $2)`

const STORED =
  'select number::float, kind, record, change, label from chaos_journal order by number'

/** Changes of names are known by the name, commands by their step; what was created or deleted is so only once. */
const AUDITED = `
  select ref_id as record, name as change,
    coalesce(data::json #>> '{diff,name,next}', data::json #>> '{diff,step,next}', '') as label
  from events
  where ref_type = 'command'
    or ref_type = 'node' and (name <> 'updated' or data::json #> '{diff,name}' is not null)`

const UNAUDITED = `
  select count(*)::int as count from chaos_journal j
  where number > $1 and number <= $2 and not exists (
    select 1 from events e where lower(e.ref_id) = j.record::text and e.ref_type = j.kind and e.name = j.change
      and (j.change in ('created', 'deleted') or e.data::json #>> '{diff,name,next}' = j.label
           or e.data::json #>> '{diff,step,next}' = j.label))`

const WAITING = 'select count(*)::int as count from outbox where written_at <= $1'

export interface StoredRecord extends Note {
  readonly number: number
  readonly kind: 'node' | 'command'
}

/**
 * What the database committed, whatever clients received; everything else is compared with it.
 */
export class Journal {
  readonly pool: pg.Pool

  static async open(databaseUrl: string): Promise<Journal> {
    const journal = new Journal(databaseUrl)
    await journal.pool.query(`${JOURNAL}; ${REFUSAL}`)
    return journal
  }

  private constructor(databaseUrl: string) {
    this.pool = new DatabasePool({ ...pools.connectionTo(databaseUrl), size: CONNECTIONS })
    // The statement of a broken connection reports the error.
    this.pool.on('error', () => {})
  }

  /** Notes a command with the transaction it is written on. */
  async noteCommand(transaction: pg.ClientBase, record: string, step: number): Promise<void> {
    await transaction.query(NOTE_COMMAND, [record, String(step)])
  }

  async stored(): Promise<StoredRecord[]> {
    const { rows } = await this.pool.query<StoredRecord>(STORED)
    return rows
  }

  /** What is in the audit trail. */
  async audited(): Promise<Note[]> {
    const { rows } = await this.pool.query<Note>(AUDITED)
    return rows
  }

  /** How many of the changes after one number and up to another are missing in the audit trail. */
  unaudited(after: number, upTo: number): Promise<number> {
    return this.#count(UNAUDITED, [after, upTo])
  }

  /** How many entries of the outbox are from before some time. */
  waiting(until: Date): Promise<number> {
    return this.#count(WAITING, [until])
  }

  async close(): Promise<void> {
    await this.pool.end()
  }

  async #count(statement: string, values: unknown[]): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(statement, values)
    return rows[0]!.count
  }
}
