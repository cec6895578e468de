/**
 * How long it takes to check the seal of many events, and in how much memory. `EVENTS` says of how many.
 */
import {
  NotedHeads,
  eventWith,
  trailDatabase,
  within,
  REALMS,
} from '#tests/integration/telemetry/trail_scene'
import { testDatabase } from '#tests/helpers/database/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'

const EVENTS = Number(process.env.EVENTS ?? 1_000_000)
const AT_ONCE = 500
const SECONDS_AT_MOST = 60
const MIB_AT_MOST = 200
const MIB = 1024 ** 2

testEnvironment()
const server = await testDatabase()
process.env.DATABASE_URL = server.url
const { loadSettings } = await import('#runtime/application')
await loadSettings()
const { trailKey } = await import('#telemetry/trail/trail_key')
const { verifyTrail } = await import('#telemetry/trail/verify_trail')
const { sealEvents } = await import('#telemetry/trail/seal_events')
const database = await trailDatabase()
try {
  await fill()
  const before = process.memoryUsage.rss()
  let peak = before
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 100)
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const verdict = await verifyTrail(database.pool, { key: trailKey(), anchor: new NotedHeads() })
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(watch)
  const { user, system } = process.cpuUsage(cpu)
  const mib = (peak - before) / MIB
  console.log(
    `${verdict.events} events in ${verdict.batches} batches, ${verdict.found} findings: ${seconds.toFixed(1)} s (at most ${SECONDS_AT_MOST}), ${((user + system) / 1e6).toFixed(1)} s of it at work, ${mib.toFixed(0)} MiB more (at most ${MIB_AT_MOST})`
  )
  const holds = verdict.intact && verdict.events === EVENTS
  process.exitCode = holds && seconds <= SECONDS_AT_MOST && mib <= MIB_AT_MOST ? 0 : 1
} finally {
  await database.stop()
  await server.stop()
}

async function fill(): Promise<void> {
  const startedAt = performance.now()
  for (let done = 0; done < EVENTS; done += AT_ONCE) {
    const events = Array.from({ length: Math.min(AT_ONCE, EVENTS - done) }, (_, n) =>
      eventWith({ realmId: REALMS[n % REALMS.length]! })
    )
    await within(database.pool, 'commit', async (client) => {
      await client.query(
        `insert into events (id, scope, name, ref_type, ref_id, data, request_path, request_method, request_ip_address,
           request_user_agent, actor_type, actor_id, actor_name, realm_id, created_at, updated_at)
         select id, scope, name, "refType", "refId", data::text, "requestPath", "requestMethod", "requestIpAddress",
           "requestUserAgent", "actorType", "actorId", "actorName", "realmId", "createdAt", "updatedAt"
         from json_to_recordset($1) as e(id uuid, scope text, name text, "refType" text, "refId" text, data json,
           "requestPath" text, "requestMethod" text, "requestIpAddress" text, "requestUserAgent" text, "actorType" text,
           "actorId" uuid, "actorName" text, "realmId" uuid, "createdAt" timestamptz, "updatedAt" timestamptz)`,
        [JSON.stringify(events)]
      )
      await sealEvents(client, events)
    })
  }
  console.log(`stored and sealed in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}
