import { testDatabase } from '#tests/helpers/database/test_database'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { StandInProvider, SYSTEM } from '#tests/unit/identity/stand_in/stand_in_provider'

interface MeasuredHub {
  readonly hub: HubProcesses
  /** Of an administrator. */
  readonly token: string
  readonly databaseUrl: string
}

/**
 * Measures a server in one process without rate limits, with a database and a provider of its own, which end with the
 * work. The benchmark passes if the work resolves to true.
 */
export async function measureHub(
  variables: Record<string, string | undefined>,
  work: (measured: MeasuredHub) => Promise<boolean>
): Promise<void> {
  const standIn = await StandInProvider.start()
  const database = await testDatabase()
  let hub: HubProcesses | undefined
  try {
    hub = await HubProcesses.start('server', {
      ...(process.env.BENCH_ROOT && { root: process.env.BENCH_ROOT }),
      variables: {
        JOBS: process.env.BENCH_JOBS,
        DATABASE_URL: database.url,
        IDENTITY_URL: standIn.url,
        CLIENT_SECRET: SYSTEM.clientSecret,
        RATE_LIMIT_USER: '0',
        RATE_LIMIT_CLIENT: '0',
        LOG_LEVEL: 'error',
        ...variables,
      },
    })
    const token = standIn.administrator()
    const hasPassed = await work({ hub, token, databaseUrl: database.url })
    process.exitCode = hasPassed ? 0 : 1
  } finally {
    await hub?.remove()
    await standIn.goAway()
    await database.stop()
  }
}
