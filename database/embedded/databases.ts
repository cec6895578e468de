import pg from 'pg'

/** Creates missing databases. */
export async function createDatabases(url: string, names: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
    const present = new Set(rows.map(({ datname }) => datname))
    for (const name of names) {
      if (!present.has(name)) {
        await client.query(`create database ${client.escapeIdentifier(name)}`)
      }
    }
  } finally {
    await client.end()
  }
}
