import { setTimeout as delay } from 'node:timers/promises'

import { Draw } from '#tests/chaos/draw'
import { Installation, VICTIMS } from './installation.js'
import { Ledger, type Counts } from './ledger.js'
import { Traffic } from './traffic.js'

const SENDERS = 64
const RECIPIENTS = 100
const BEFORE_MS = [300, 2_000] as const
const AWAY_MS = [0, 1_500] as const
const DELIVERED_WITHIN_MS = 60_000
const POLL_INTERVAL_MS = 200

interface KillsOptions {
  readonly kills: number
  readonly seed: number
  readonly sendsPerSecond: number
  readonly say: (line: string) => void
}

/**
 * Kills one process after the other while messages are sent, pulled and acknowledged. Answers what is wrong afterwards, in words.
 */
export async function survive({
  kills,
  seed,
  sendsPerSecond,
  say: log,
}: KillsOptions): Promise<string[]> {
  log(`seed ${seed}: SEED=${seed} repeats these kills`)
  const draw = new Draw(seed)
  const installation = await Installation.start()
  const ledger = new Ledger(RECIPIENTS)
  const traffic = new Traffic({
    origins: installation.origins,
    senders: installation.owners(SENDERS),
    recipients: installation.owners(RECIPIENTS),
    sendsPerSecond,
    ledger,
  })
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const { accepted } = ledger.counts
      log(
        `kill ${kill}: ${await killOne(installation, draw)}, ${ledger.counts.accepted - accepted} accepted meanwhile`
      )
    }
    await traffic.endSending()
    await delivered(ledger)
    await traffic.stop()
    const { counts } = ledger
    log(reported(counts))
    return [...traffic.surprises.slice(0, 5), ...problems(counts)]
  } finally {
    await traffic.stop().finally(() => installation.stop())
  }
}

async function killOne(installation: Installation, draw: Draw): Promise<string> {
  const [victim] = draw.shuffled(VICTIMS)
  await delay(draw.between(...BEFORE_MS))
  const startedAt = performance.now()
  await installation.kill(victim!)
  await delay(draw.between(...AWAY_MS))
  await installation.revive(victim!)
  return `${victim} away for ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`
}

async function delivered(ledger: Ledger): Promise<void> {
  const startedAt = performance.now()
  while (ledger.counts.lost > 0 && performance.now() - startedAt < DELIVERED_WITHIN_MS) {
    await delay(POLL_INTERVAL_MS)
  }
}

function reported({
  accepted,
  delivered: got,
  lost,
  outOfOrder,
  duplicates,
  returned,
}: Counts): string {
  return (
    `accepted ${accepted}, delivered ${got}, lost ${lost}, out of order ${outOfOrder}, ` +
    `duplicates ${duplicates}, acknowledged and pulled again ${returned}`
  )
}

/** What is wrong with some counts, in words. */
export function problems({ accepted, delivered: got, ...faults }: Counts): string[] {
  const found = Object.entries(faults).filter(([, count]) => count > 0)
  return [
    ...(accepted === 0 || got !== accepted
      ? [`${accepted} were accepted and ${got} delivered`]
      : []),
    ...found.map(([fault, count]) => `${fault}: ${count}`),
  ]
}
