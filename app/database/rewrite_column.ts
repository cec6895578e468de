import type { BaseSchema } from '@adonisjs/lucid/schema'

type Client = Parameters<Parameters<BaseSchema['defer']>[0]>[0]

/** A text column of a table. */
export interface TextColumn {
  readonly table: string
  readonly column: string
}

/** Rewrites all values of a column within a migration. */
export async function rewriteColumn(
  client: Client,
  { table, column }: TextColumn,
  rewritten: (value: string) => string | null
): Promise<void> {
  const { rows } = await client.rawQuery(
    `select distinct ${column} as value from ${table} where ${column} is not null`
  )
  for (const { value } of rows as { value: string }[]) {
    await client.rawQuery(`update ${table} set ${column} = ? where ${column} = ?`, [
      rewritten(value)!,
      value,
    ])
  }
}
