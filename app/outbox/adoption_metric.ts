import { Gauge } from 'prom-client'

import { metrics } from '#observability/metrics'
import { ScrapedRows } from '#observability/scraped_rows'

interface DatabaseState {
  readonly database: string
  readonly isOpen: boolean
}

const databases = new ScrapedRows<DatabaseState>()

new Gauge({
  name: 'adoption_open',
  help: 'Whether an adoption of the former platform is not closed (1); shown by the process that publishes the outbox of the database',
  labelNames: ['database'] as const,
  registers: [metrics],
  async collect() {
    const rows = await databases.read()
    this.reset()
    for (const { database, isOpen } of rows) {
      this.set({ database }, isOpen ? 1 : 0)
    }
  },
})

/** Shows the state of a database until the returned function is called. */
export const showAdoption = (database: string, isOpen: () => Promise<boolean>): (() => void) =>
  databases.show(database, async () => [{ database, isOpen: await isOpen() }])
