import { BaseSchema } from '@adonisjs/lucid/schema'

import { totalTriggers } from '#database/maintained_totals'

interface Kept {
  readonly list: string
  readonly realm: string | null
}

/** The tables of which totals are kept by now, each with the column of the realm that its parts are those of. */
const KEPT = `
  select raised.tgrelid::regclass::text as list,
    (select split_part(encode(moved.tgargs, 'escape'), '\\000', 2) from pg_trigger moved
     where moved.tgrelid = raised.tgrelid and moved.tgname = c.relname || '_move_total') as realm
  from pg_trigger raised join pg_class c on c.oid = raised.tgrelid
  where raised.tgname = c.relname || '_raise_total'`

/**
 * Totals that are kept already are noted in the quicker way of those that are kept from now on. What is read of the changes are those
 * of the last seconds, so that their index has the transaction alone: with the list it costs each write more.
 */
export default class NoteSingleRecords extends BaseSchema {
  async up() {
    this.schema.raw('drop index record_total_changes_list')
    this.schema.raw(
      'create index record_total_changes_written on record_total_changes (written_by)'
    )
    this.defer(async (client) => {
      const { rows } = (await client.rawQuery(KEPT)) as { rows: Kept[] }
      for (const { list, realm } of rows) {
        for (const statement of totalTriggers(list, realm ?? undefined)) {
          await client.rawQuery(statement)
        }
        await client.rawQuery(`drop function if exists "${list}_note_total"`)
      }
    })
  }

  /** What the triggers called before says the same. */
  async down() {
    this.schema.raw('drop index record_total_changes_written')
    this.schema.raw(
      'create index record_total_changes_list on record_total_changes (list, written_by)'
    )
  }
}
