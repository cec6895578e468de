import { test } from '@japa/runner'

import { VictoriaLogsStore } from '#telemetry/logs/victorialogs/victorialogs_store'
import { SERVER_TIMING } from '#telemetry/logs/victorialogs/timing'
import { logStoreSuite } from '#tests/helpers/telemetry/log_store_suite'

const url = process.env.VICTORIALOGS_TEST_URL

if (url === undefined) {
  test.group('Log store | VictoriaLogs', () => {
    test('the store keeps what the contract promises').skip(
      true,
      'waits for VICTORIALOGS_TEST_URL, the address of a server that may be written to'
    )
  })
} else {
  logStoreSuite(`VictoriaLogs at ${url}`, async () => {
    const store = new VictoriaLogsStore({
      ingestor: url,
      querier: url,
      retentionDays: Number(process.env.VICTORIALOGS_TEST_RETENTION_DAYS ?? 7),
      // A test that follows lines need not wait for those that are slow to be shown.
      timing: { ...SERVER_TIMING, pollMs: 200 },
      report: (_, what) => console.error(what),
    })
    return {
      store,
      hasRetention: true,
      burst: 10_000,
      removes: (await store.findDeletionProblem()) === undefined,
      settle: async () => {
        await fetch(`${url}/internal/force_flush`)
      },
      stop: () => store.close(),
    }
  })
}
