import type { BaseSchema } from '@adonisjs/lucid/schema'

type Client = Parameters<Parameters<BaseSchema['defer']>[0]>[0]

/** A column of a table; its values are text. */
export interface TextColumn {
  readonly table: string
  readonly column: string
}

/** Writes another value into each row that has one, within a migration: after it, all of the column is rewritten. */
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
