/** The statements that rename a column and its not-null constraint, which has a name from PostgreSQL 18 on. */
export function renameColumn(table: string, from: string, to: string): string[] {
  return [
    `alter table ${table} rename column ${from} to ${to}`,
    renameConstraints(table, `${table}_${from}_not_null`, `${table}_${to}_not_null`),
  ]
}

/** The statements that rename a table and those of its constraints that are named after it. */
export function renameTable(from: string, to: string): string[] {
  return [`alter table ${from} rename to ${to}`, renameConstraints(to, `${from}_`, `${to}_`)]
}

/** Replaces the beginning of names of constraints. */
function renameConstraints(table: string, from: string, to: string): string {
  return `
    do $body$
    declare
      named record;
    begin
      for named in
        select conname as name from pg_constraint
        where conrelid = '${table}'::regclass and starts_with(conname, '${from}')
      loop
        execute format('alter table ${table} rename constraint %I to %I', named.name,
          '${to}' || substr(named.name, length('${from}') + 1));
      end loop;
    end $body$`
}
