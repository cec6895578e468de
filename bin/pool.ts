import { run } from '#runtime/run'

const environment = { ...process.env }

await run(
  async () => {
    const { Pool } = await import('#runtime/pool/pool')
    return Pool.start(environment)
  },
  { reloads: true }
)
