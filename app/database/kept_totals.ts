import { NO_REALM } from '#query/sql/kept_total'

/** The realm that a row counts for, of a table whose rows know theirs, as SQL. */
export const partOf = (column: string | undefined, row: string) =>
  column === undefined ? `'${NO_REALM}'::uuid` : `coalesce(${row}."${column}", '${NO_REALM}')`

/**
 * Tables that take thousands of rows with one statement, and are to note few changes then. All others take one after the other: to
 * look at all that a statement wrote, and bound the changes, would cost each of them a quarter more than to look at the row.
 */
const IN_BULK: ReadonlySet<string> = new Set(['events'])

/** To put a single row together by its realm would take a third of the time. */
const NOTED_SINGLY = 8

const nameOf = (table: string, use: string) => `"${table}_${use}_total"`

/** The statements that make, or make anew, what notes that rows came or went. */
export function noteTotal(table: string, realm?: string): string[] {
  const raised = calling(nameOf(table, 'raise'))
  const lowered = calling(nameOf(table, 'lower'))
  const part = partOf(realm, 'c')
  return [
    ...(IN_BULK.has(table)
      ? raised(`insert on "${table}" ${allOf('new')}`, raiseInBulk(table, part))
      : raised(`insert on "${table}" for each row`, raiseSingly(table, partOf(realm, 'new')))),
    ...lowered(
      `delete on "${table}" ${allOf('old')}`,
      `begin ${note(table, `${part}, -count(*)`, 'from changed c group by 2')}; return null; end`
    ),
  ]
}

const allOf = (rows: string) => `referencing ${rows} table as changed for each statement`

const calling = (name: string) => (changes: string, body: string) => [
  `create or replace function ${name}() returns trigger language plpgsql as $body$
      ${body} $body$`,
  `create or replace trigger ${name} after ${changes} execute function ${name}()`,
]

/** All is of the type of its column: what has to be converted takes a step of its own in each statement that has a limit. */
function note(table: string, partAndChange: string, rows = ''): string {
  return `insert into record_total_changes (list, part, change, written_by)
          select '${table}'::text collate "C", ${partAndChange}, pg_current_xact_id() ${rows}`
}

function raiseSingly(table: string, part: string): string {
  return `begin ${note(table, `${part}, 1::bigint`)}; return null; end`
}

function raiseInBulk(table: string, part: string): string {
  const others = `from (select * from changed offset ${NOTED_SINGLY}) c group by 2`
  return `declare
        noted integer;
      begin
        ${note(table, `${part}, 1::bigint`, `from changed c limit ${NOTED_SINGLY}`)};
        get diagnostics noted = row_count;
        if noted = ${NOTED_SINGLY} then
          ${note(table, `${part}, count(*)`, others)};
        end if;
        return null;
      end`
}

/**
 * The statements with which a migration has the totals of a table kept, beginning with what is in it: whoever writes, a trigger
 * notes by how much the number of its rows changed, for each realm. A table that is made anew, also one of partitions, takes
 * them again.
 */
export function keepTotals(table: string, realm?: string): string[] {
  return [
    ...noteTotal(table, realm),
    `create trigger ${nameOf(table, 'empty')} after truncate on "${table}"
      for each statement execute function record_totals_emptied()`,
    ...(realm === undefined ? [] : followRealm(table, realm)),
    `delete from record_total_changes where list = '${table}'`,
    `delete from record_totals where list = '${table}'`,
    `insert into record_totals (list, part, records)
      select '${table}', ${partOf(realm, 'r')}, count(*) from "${table}" r group by 2`,
  ]
}

/** The statements with which the totals of a table are not kept any more. */
export function dropTotals(table: string, realm?: string): string[] {
  const uses = ['raise', 'lower', 'empty', ...(realm === undefined ? [] : ['move'])]
  return [
    ...uses.map((use) => `drop trigger ${nameOf(table, use)} on "${table}"`),
    `drop function ${nameOf(table, 'raise')}, ${nameOf(table, 'lower')}`,
    `delete from record_total_changes where list = '${table}'`,
    `delete from record_totals where list = '${table}'`,
  ]
}

/** Records seldom move to another realm, and a trigger that looks at one column costs the other updates nothing. */
function followRealm(table: string, realm: string): string[] {
  return [
    `create trigger ${nameOf(table, 'move')} after update of "${realm}" on "${table}"
      for each row when (old."${realm}" is distinct from new."${realm}")
      execute function record_totals_moved('${table}', '${realm}')`,
  ]
}
