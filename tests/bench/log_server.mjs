/**
 * The telemetry surface of the production build with a memory log store that is full, and one caller whose token is known
 * already. Says what the lines take of the memory once they are there.
 */
import 'reflect-metadata'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const build = (path) => import(new URL(`../../build/${path}.js`, import.meta.url).href)

const { Ignitor } = await import('@adonisjs/core')
const { Authenticator } = await build('app/auth/authenticator')
const { createListener } = await build('app/http/listener')
const { createRequestListener } = await build('app/http/request_listener')
const { drain } = await build('packages/kernel/src/drain')
const { LogStore } = await build('app/telemetry/logs/log_store')
const { normalizedLine } = await build('app/telemetry/logs/normalized_line')

const AT_ONCE = 1_000
const HITS = 100
const SEARCHES = Number(process.env.BENCH_SEARCHES)
const WANTED = Number(process.env.BENCH_LINES)

const root = new URL('../../build/', import.meta.url)
const importer = (path) => import(path.startsWith('./') ? new URL(path, root).href : path)
const app = new Ignitor(root, { importer }).createApp('web')
const caller = {
  kind: 'robot',
  id: 'aaaaaaaa-0000-4000-8000-000000000009',
  name: 'bench',
  realmId: 'aaaaaaaa-0000-4000-8000-000000000001',
  realmName: 'master',
  clientId: null,
  permissions: new Set(['log_read']),
  expiresAt: Number.MAX_SAFE_INTEGER,
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

function memoryInUse() {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Distance between matching lines, for each search. */
function aLine(number) {
  const search = number % (WANTED / HITS)
  const isHit = search < SEARCHES
  return normalizedLine({
    message: `bench line ${number} `.padEnd(120, '.'),
    service: 'bench-service',
    channel: 'system',
    level: 'info',
    labels: {
      refType: 'analysis',
      refId: isHit ? `wanted-${search}` : `other-${number % 5_000}`,
      seq: String(number),
    },
  })
}

await app.init()
await app.boot()
app.container.singleton(Authenticator, () => ({ verify: () => caller }))
await app.start(() => {})
const store = await app.container.make(LogStore)
const before = memoryInUse()
const startedAt = performance.now()
for (let written = 0; written < WANTED; written += AT_ONCE) {
  await store.write(Array.from({ length: AT_ONCE }, (_, index) => aLine(written + index)))
}
const seconds = (performance.now() - startedAt) / 1_000
const filled = { lines: store.count, counted: store.bytes, seconds, taken: memoryInUse() - before }
const handle = await createRequestListener(app)
const listener = createListener(handle, { prefix: '/telemetry', drain })
listener.listen(Number(process.env.PORT), '127.0.0.1', () => process.send({ told: filled }))
