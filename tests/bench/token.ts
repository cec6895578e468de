/**
 * What it costs to know who sends a request, once its token was looked up: processor time of everything the middleware
 * does, for one caller and for as many as are remembered; and beside it what a forged token costs.
 */
import { HttpContextFactory } from '@adonisjs/core/factories/http'

import AuthenticationMiddleware from '#auth/authentication_middleware'
import { TokenVerifier } from '#auth/verification/token_verifier'
import { loadSettings } from '#runtime/application'
import { SigningKey } from '#tests/unit/identity/stand_in/signing_key'
import { StandInProvider } from '#tests/unit/identity/stand_in/stand_in_provider'
import { externalProvider } from '#tests/unit/identity/subjects'

const LIMIT_US = 30
const CALLERS = 5_000
const REQUESTS = 200_000
const FORGERIES = 2_000

const next = async () => {}

await loadSettings()
const standIn = await StandInProvider.start()
try {
  const verifier = new TokenVerifier(externalProvider(standIn), {
    trustMs: 3_600_000,
    capacity: CALLERS + 1,
  })
  const slowest = await measureKnown(verifier)
  await measureForged(verifier)
  console.log(`the slowest with a known token: ${slowest.toFixed(1)} us; at most ${LIMIT_US}`)
  process.exitCode = slowest < LIMIT_US ? 0 : 1
} finally {
  await standIn.goAway()
}

async function measureKnown(verifier: TokenVerifier): Promise<number> {
  const middleware = new AuthenticationMiddleware(verifier)
  const token = standIn.mint()
  const callers = Array.from({ length: CALLERS }, () => request(bearer(standIn.mint())))
  const one = request(bearer(token))
  for (const ctx of [one, ...callers]) {
    await middleware.handle(ctx, next)
  }
  const requested = standIn.count('/token/introspect')
  const cookie = request({ cookie: `theme=dark; access_token=${token}` })
  const costs = [
    await cost('one caller', REQUESTS, () => middleware.handle(one, next)),
    await cost(`${CALLERS} callers in turn`, REQUESTS, (n) =>
      middleware.handle(callers[n % CALLERS]!, next)
    ),
    await cost('one caller with a cookie', REQUESTS, () => middleware.handle(cookie, next)),
  ]
  if (standIn.count('/token/introspect') !== requested) {
    throw new Error('The provider received a request about known tokens')
  }
  return Math.max(...costs)
}

async function measureForged(verifier: TokenVerifier): Promise<void> {
  const stranger = new SigningKey(standIn.keys.siteA.id)
  const forged = Array.from({ length: FORGERIES }, (_, n) =>
    stranger.sign({ ...standIn.claims(), n })
  )
  await cost('a forged token, each another', FORGERIES, async (n) => {
    await verifier.verify(forged[n]!)
  })
}

/** Processor time of one call, in microseconds. */
async function cost(
  name: string,
  calls: number,
  work: (n: number) => Promise<void>
): Promise<number> {
  for (let n = 0; n < calls / 10; n++) {
    await work(n)
  }
  const before = process.cpuUsage()
  for (let n = 0; n < calls; n++) {
    await work(n)
  }
  const { user, system } = process.cpuUsage(before)
  const each = (user + system) / calls
  console.log(`${name.padEnd(30)} ${each.toFixed(1).padStart(6)} us of processor time`)
  return each
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

function request(headers: Record<string, string>) {
  const ctx = new HttpContextFactory().create()
  ctx.request.request.method = 'GET'
  Object.assign(ctx.request.request.headers, {
    'host': 'hub.example',
    'accept': 'application/json',
    'user-agent': 'bench',
    ...headers,
  })
  return ctx
}
