import { run } from '#runtime/run'

/** The environment before `.env` is read. */
const variables = { ...process.env }

await run(
  async () => {
    const { Pool } = await import('#runtime/pool/pool')
    return Pool.start(variables, await import('#start/env'))
  },
  { reloads: true }
)
