import { groupOf, NO_REALM } from '#query/sql/maintained_total'

/** SQL expression of the realm that a row is counted for. */
export const realmKeySql = (column: string | undefined, row: string) =>
  column === undefined ? `'${NO_REALM}'::uuid` : `coalesce(${row}."${column}", '${NO_REALM}')`

/**
 * Tables with bulk inserts use statement triggers that aggregate. For all others row triggers are faster: aggregating
 * would cost single inserts a quarter more.
 */
const BULK_TABLES: ReadonlySet<string> = new Set(['events'])

/** The text columns of a table whose combinations have totals, too. */
const GROUPED: Readonly<Record<string, readonly string[]>> = { events: ['scope', 'ref_type'] }

/** SQL expression of the group that a row is counted for; undefined for tables without groups. */
export function groupSql(table: string, row: string): string | undefined {
  const columns = GROUPED[table]
  return (
    columns &&
    groupOf(
      table,
      columns.map((column) => `lower(${row}."${column}")`)
    )
  )
}

/** Rows up to this number are recorded without aggregation, which takes a third of the time. */
const ROWS_NOTED_SINGLY = 8

const nameOf = (table: string, use: string) => `"${table}_${use}_total"`

/** The statements that create or replace the triggers that record inserts and deletes. */
function totalTriggers(table: string, realm?: string): string[] {
  const onInsert = triggerWithFunction(nameOf(table, 'insert'))
  const onDelete = triggerWithFunction(nameOf(table, 'delete'))
  const realmKey = realmKeySql(realm, 'c')
  return [
    ...(BULK_TABLES.has(table)
      ? onInsert(`insert on "${table}" ${allOf('new')}`, insertInBulk(table, realmKey))
      : onInsert(
          `insert on "${table}" for each row`,
          insertSingly(table, realmKeySql(realm, 'new'))
        )),
    ...onDelete(
      `delete on "${table}" ${allOf('old')}`,
      `begin ${insertChange(table, `${realmKey}, -count(*)`, 'from changed c group by 2')};
        ${insertGroupChanges(table, realmKey, '-count(*)')} return null; end`
    ),
  ]
}

const allOf = (rows: string) => `referencing ${rows} table as changed for each statement`

const triggerWithFunction = (name: string) => (changes: string, body: string) => [
  `create or replace function ${name}() returns trigger language plpgsql as $body$
      ${body} $body$`,
  `create or replace trigger ${name} after ${changes} execute function ${name}()`,
]

/** Every value has the type of its column: conversions add a step to statements with a limit. */
function insertChange(table: string, realmAndChange: string, rows = ''): string {
  return `insert into record_total_changes (list, realm_id, change, transaction_id)
          select '${table}'::text collate "C", ${realmAndChange}, pg_current_xact_id() ${rows}`
}

/** Records the changes of group totals; empty for tables without groups. */
function insertGroupChanges(table: string, realmKey: string, change: string): string {
  const group = groupSql(table, 'c')
  return group === undefined
    ? ''
    : `insert into record_total_changes (list, realm_id, change, transaction_id)
       select ${group}, ${realmKey}, ${change}, pg_current_xact_id() from changed c group by 1, 2;`
}

function insertSingly(table: string, realmKey: string): string {
  return `begin ${insertChange(table, `${realmKey}, 1::bigint`)}; return null; end`
}

function insertInBulk(table: string, realmKey: string): string {
  const others = `from (select * from changed offset ${ROWS_NOTED_SINGLY}) c group by 2`
  return `declare
        noted integer;
      begin
        ${insertChange(table, `${realmKey}, 1::bigint`, `from changed c limit ${ROWS_NOTED_SINGLY}`)};
        get diagnostics noted = row_count;
        if noted = ${ROWS_NOTED_SINGLY} then
          ${insertChange(table, `${realmKey}, count(*)`, others)};
        end if;
        ${insertGroupChanges(table, realmKey, 'count(*)')}
        return null;
      end`
}

/**
 * The statements with which a migration starts to maintain the totals of a table, including existing rows. Triggers
 * record changes per realm. A table that is recreated, also as a partitioned one, needs them again.
 */
export function maintainTotals(table: string, realm?: string): string[] {
  return [
    ...totalTriggers(table, realm),
    `create trigger ${nameOf(table, 'truncate')} after truncate on "${table}"
      for each statement execute function record_totals_truncated()`,
    ...(realm === undefined ? [] : realmTrigger(table, realm)),
    `delete from record_total_changes where list = '${table}'`,
    `delete from record_totals where list = '${table}'`,
    `insert into record_totals (list, realm_id, records)
      select '${table}', ${realmKeySql(realm, 'r')}, count(*) from "${table}" r group by 2`,
  ]
}

/** The statements with which a migration starts to maintain the group totals of a table, including existing rows. */
export function maintainGroupTotals(table: string, realm: string): string[] {
  const changed = (row: string, change: string) =>
    `(${groupSql(table, row)}, ${realmKeySql(realm, row)}, ${change}, pg_current_xact_id())`
  return [
    ...totalTriggers(table, realm),
    ...triggerWithFunction(nameOf(table, 'group'))(
      `update on "${table}" for each row when (old is distinct from new)`,
      `begin insert into record_total_changes (list, realm_id, change, transaction_id)
        values ${changed('old', '-1')}, ${changed('new', '1')}; return null; end`
    ),
    ...triggerWithFunction(nameOf(table, 'group_truncate'))(
      `truncate on "${table}" for each statement`,
      `begin insert into record_total_changes (list, realm_id, change)
        select list, realm_id, -sum(records) from (${groupTotals(table)}) kept group by 1, 2; return null; end`
    ),
    ...deleteGroupTotals(table),
    `insert into record_totals (list, realm_id, records)
      select ${groupSql(table, 'r')}, ${realmKeySql(realm, 'r')}, count(*) from "${table}" r group by 1, 2`,
  ]
}

const groupTotals = (table: string) =>
  `select list, realm_id, records from record_totals where list like '${table}:%'
   union all select list, realm_id, change from record_total_changes where list like '${table}:%'`

const deleteGroupTotals = (table: string) => [
  `delete from record_total_changes where list like '${table}:%'`,
  `delete from record_totals where list like '${table}:%'`,
]

/** Records rarely change their realm, and a trigger on one column adds no cost to other updates. */
function realmTrigger(table: string, realm: string): string[] {
  return [
    `create trigger ${nameOf(table, 'realm')} after update of "${realm}" on "${table}"
      for each row when (old."${realm}" is distinct from new."${realm}")
      execute function record_totals_realm_changed('${table}', '${realm}')`,
  ]
}
