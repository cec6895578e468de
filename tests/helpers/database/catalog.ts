import type pg from 'pg'

/** Columns in their order; a dropped column leaves a gap in the numbers. */
const COLUMNS = `
  select format('%s.%s %s %s', c.relname, a.attname,
    row_number() over (partition by c.oid order by a.attnum), format_type(a.atttypid, a.atttypmod)),
    concat_ws(' ', a.attnotnull, a.attidentity, a.attstorage, k.collname,
      pg_get_expr(d.adbin, d.adrelid))
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
  left join pg_collation k on k.oid = a.attcollation
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`

const OTHERS = [
  `select format('%s %s', conrelid::regclass, conname), pg_get_constraintdef(oid)
   from pg_constraint where connamespace = 'public'::regnamespace`,
  `select tablename || ' ' || indexname, indexdef from pg_indexes where schemaname = 'public'`,
  `select format('%s %s', tgrelid::regclass, tgname), pg_get_triggerdef(oid)
   from pg_trigger where not tgisinternal`,
  `select proname, pg_get_functiondef(p.oid) from pg_proc p where pronamespace = 'public'::regnamespace
     and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  `select sequencename, to_jsonb(s) - '{sequenceowner,last_value}'::text[] || '{}'
   from pg_sequences s where schemaname = 'public'`,
  `select c.relname, concat(c.reloptions, t.reloptions) from pg_class c left join pg_class t on t.oid = c.reltoastrelid
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
  'select extname, extversion from pg_extension',
]

/** Everything that a database declares, by kind and name: what two databases with the same tables have in common. */
export async function catalogOf(pool: pg.Pool): Promise<string[]> {
  const found: string[] = []
  for (const text of [COLUMNS, ...OTHERS]) {
    const { rows } = await pool.query<string[]>({ text, rowMode: 'array' })
    found.push(...rows.map((row) => row.join(': ')))
  }
  return found.toSorted()
}
